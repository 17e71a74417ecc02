import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, password, type Person } from '../support/factories';
import { receives, tokenIn } from '../support/mailbox';
import { PageWalker } from '../support/pageWalker';
import { isSignedIn, signInAgain } from '../support/sessions';
import { startApp, type TestApp } from '../support/startApp';

/** A sign-in at a page replaces the cookie of the earlier session, which then ends. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** The person with the session in the cookie of a browser. */
function inBrowser(person: Person, walker: PageWalker, name = 'customer_'): Person {
  const token = new RegExp(`${name}[^=;]*=([^;]+)`).exec(walker.cookies)?.[1];
  if (token === undefined) throw new Error('The browser has no session');
  return { ...person, token };
}

type Way = [string, (walker: PageWalker, consumer: Person, shop: Place) => Promise<unknown>];
interface Place {
  merchant: Person;
  paywall: string;
}

const portalOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}`;

function signInAtPortal(walker: PageWalker, consumer: Person, word = password) {
  return walker.submit(`${portalOf(consumer)}/sign-in`, { username: consumer.email, password: word });
}

const ways: Way[] = [
  ['at the portal', (walker, consumer) => signInAtPortal(walker, consumer)],
  [
    'at the paywall',
    (walker, { email }, { paywall }) => walker.submit(`${paywall}/sign-in`, { username: email, password }),
  ],
  [
    'by a mailed link',
    async (walker, consumer, { merchant }) => {
      const { email } = consumer;
      await call(app, 'POST', '/accounts/sign-in-link', { merchant_uuid: merchant.uuid, email });
      const token = tokenIn(await receives(app, merchant, email, 'sign_in_link'));
      await walker.submit(`${portalOf(consumer)}/sign-in/${token}`);
    },
  ],
  [
    'of another customer',
    async (walker, _consumer, { merchant }) => signInAtPortal(walker, await createConsumer(app, merchant)),
  ],
];

test.each(ways)('303: a sign-in %s ends the session that the browser had, and no other', async (_name, signIn) => {
  const { merchant, consumer, item } = await createShop(app);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(consumer)}/sign-in`);
  await signInAtPortal(walker, consumer);
  const [first, elsewhere] = [inBrowser(consumer, walker), await signInAgain(app, consumer)];
  expect(await isSignedIn(app, first)).toBe(true);
  await signIn(walker, consumer, { merchant, paywall: `/paywall/${merchant.uuid}/${item.id}` });
  const second = inBrowser(consumer, walker);
  expect(second.token).not.toBe(first.token);
  expect([await isSignedIn(app, first), await isSignedIn(app, second)]).toEqual([false, true]);
  expect([await isSignedIn(app, elsewhere), await isSignedIn(app, consumer)]).toEqual([true, true]);
});

test('303: a merchant signs in again at the console', async () => {
  const merchant = await createMerchant(app);
  const walker = new PageWalker(app);
  await walker.open('/console/sign-in');
  const fields = { email: merchant.email, password };
  await walker.submit('/console/sign-in', fields);
  const first = inBrowser(merchant, walker, 'console');
  await walker.submit('/console/sign-in', fields);
  expect([await isSignedIn(app, first), await isSignedIn(app, merchant)]).toEqual([false, true]);
  expect((await walker.open('/console')).status).toBe(200);
});

test('422: a refused sign-in ends nothing', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(consumer)}/sign-in`);
  await signInAtPortal(walker, consumer);
  expect((await signInAtPortal(walker, consumer, 'wrong-battery')).status).toBe(422);
  expect(await isSignedIn(app, inBrowser(consumer, walker))).toBe(true);
});

test('200: an app that sends the token of its session with a sign-in keeps the session', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const fields = { grant_type: 'password', client_id: consumer.merchantUuid, username: consumer.email, password };
  expect((await call(app, 'POST', '/accounts/authenticate', fields, consumer)).status).toBe(200);
  expect(await isSignedIn(app, consumer)).toBe(true);
});
