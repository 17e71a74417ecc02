import { giveByHand } from '../../support/access';
import { call } from '../../support/client';
import { card, pathOf, signedInAt } from '../../support/checkout';
import { cards, createFee, createShop, password, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { addresses } from '../../support/restrictions';
import { openSocket } from '../../support/socket';
import { type TestApp, startApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  const provider = { name: 'facebook', client_id: 'x', client_secret: 'x' };
  app = await startApp({ TRUSTED_PROXIES: 'loopback', SOCIAL_PROVIDERS: JSON.stringify([provider]) });
});
afterAll(() => app.stop());

const signedIn = (shop: Shop) => signedInAt(app, shop);

describe('the prices', () => {
  test('200: are those of the visitor’s country, in each currency', async () => {
    const shop = await createShop(app);
    const onlyThere = {
      amount: '450',
      currency: 'MKD',
      country_iso: 'MK',
      restriction_type: 'whitelist',
      description: 'Local',
    };
    await createFee(app, shop.merchant, shop.item.id, onlyThere);
    const seenFrom = async (address: string) =>
      (await new PageWalker(app, { 'X-Forwarded-For': address }).open(pathOf(shop))).text;
    expect(await seenFrom(addresses.america)).not.toContain('Local');
    const local = await seenFrom(addresses.macedonia);
    expect(local).toContain('Local');
    expect(local).toContain('MKD');
  });

  test('200: what is not sold any more says so', async () => {
    const shop = await createShop(app);
    await call(app, 'DELETE', `/items/${shop.item.id}`, undefined, shop.merchant);
    const { status, text } = await new PageWalker(app).open(pathOf(shop));
    expect(status).toBe(200);
    expect(text).toContain('This is not for sale right now.');
  });

  test('404 item_not_found: another merchant’s item', async () => {
    const [one, other] = [await createShop(app), await createShop(app)];
    const { status, headers } = await new PageWalker(app).open(pathOf({ merchant: one.merchant, item: other.item }));
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('registering', () => {
  test('asks what the merchant asks, says what is wrong beside it, and keeps what was typed', async () => {
    const shop = await createShop(app);
    const fields = [
      { name: 'team', label: 'Your team', type: 'select', required: 'true', options: { red: 'Red', blue: 'Blue' } },
      { name: 'home', label: 'Country', type: 'country', required: 'false' },
      { name: 'news', label: 'Send me news', type: 'checkbox', required: 'false' },
    ];
    for (const field of fields) await call(app, 'POST', '/accounts/register-field', field, shop.merchant);
    const walker = new PageWalker(app);
    const { text } = await walker.open(`${pathOf(shop)}?step=register`);
    for (const part of ['Your team', '<option value="blue">Blue</option>', 'North Macedonia', 'Send me news'])
      expect(text.replaceAll(/\s+/g, ' ').replaceAll(' >', '>')).toContain(part);
    const typed = {
      full_name: 'Ana',
      username: `ana-${shop.item.id}@example.org`,
      password,
      'metadata[team]': 'green',
    };
    const refused = await walker.submit(`${pathOf(shop)}/register`, typed);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('aria-invalid="true"');
    expect(refused.text).toContain('value="Ana"');
    expect(refused.text).not.toContain(password);
    const done = await walker.submit(`${pathOf(shop)}/register`, { ...typed, 'metadata[team]': 'blue' });
    expect([done.status, done.headers.get('location')]).toEqual([303, pathOf(shop)]);
    expect((await walker.open(pathOf(shop))).text).toContain('Checkout');
    const twice = new PageWalker(app);
    await twice.open(`${pathOf(shop)}?step=register`);
    const known = await twice.submit(`${pathOf(shop)}/register`, { ...typed, 'metadata[team]': 'blue' });
    expect(known.text).toContain('An account with this email already exists.');
  });

  test('offers other services unless the merchant has turned that off', async () => {
    const shop = await createShop(app);
    const register = () => new PageWalker(app).open(`${pathOf(shop)}?step=register`);
    const turn = (enabled: boolean) => call(app, 'PUT', '/v2/features/social_login', { enabled }, shop.merchant);
    await turn(false);
    expect((await register()).text).not.toContain('Continue with');
    await turn(true);
    expect((await register()).text).toContain('Continue with Facebook');
  });

  test('404: no form takes a token', async () => {
    const shop = await createShop(app);
    const walker = new PageWalker(app);
    await walker.open(pathOf(shop));
    expect((await walker.submit(`${pathOf(shop)}/session`, { token: shop.consumer.token })).status).toBe(404);
    expect(walker.cookies).not.toContain('customer_');
  });
});

describe('paying', () => {
  test('without a script: the card is sent once, and never comes back', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop);
    const { text } = await walker.open(pathOf(shop));
    for (const name of ['cc-number', 'cc-name', 'cc-exp-month', 'cc-exp-year', 'cc-csc'])
      expect(text).toContain(`autocomplete="${name}"`);
    const refused = await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), ...card, cvv: '1' });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([422, 'no-store']);
    expect(refused.text).not.toContain(cards.success);
    const priced = await walker.submit(`${pathOf(shop)}/price`, { fee: String(shop.fee.id), ...card });
    expect(priced.text).not.toContain(cards.success);
    const sent = await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), ...card });
    expect(sent.status).toBe(200);
    expect(sent.text).toContain('Processing your payment');
    expect(sent.text).toContain(`data-listen="${shop.merchant.uuid}"`);
  });

  test('400 card_number_refused: a card number in another field goes nowhere', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop);
    const { status, text } = await walker.submit(`${pathOf(shop)}/pay`, { card_name: cards.success });
    expect([status, text.includes(cards.success)]).toEqual([400, false]);
  });

  test('303: who is signed in no more is asked to sign in', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop);
    await call(app, 'GET', '/accounts/logout', undefined, {
      token: /customer_[^=]+=([^;]+)/.exec(walker.cookies)?.[1] ?? '',
    });
    const { status, headers } = await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), ...card });
    expect([status, headers.get('location')]).toEqual([303, `${pathOf(shop)}?step=sign-in&ended=true`]);
  });
});

describe('the content', () => {
  test('200: comes without an origin, to who has access; 402 access_not_found to who has none', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop);
    expect((await walker.openFrame(`${pathOf(shop)}/content`)).status).toBe(402);
    await giveByHand(app, shop);
    const page = await walker.open(pathOf(shop));
    expect(page.text).toContain('You already have access.');
    expect(page.text).not.toContain('The final.');
    const content = await walker.openFrame(`${pathOf(shop)}/content`);
    expect(content.text).toContain('<p>The final.</p>');
    expect(content.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
  });

  test('303: signing out takes the session from the browser and from the service', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop);
    const token = /customer_[^=]+=([^;]+)/.exec(walker.cookies)?.[1] ?? '';
    expect((await walker.submit(`${pathOf(shop)}/sign-out`)).status).toBe(303);
    expect(walker.cookies).not.toContain('customer_');
    expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(401);
  });
});

test('the socket of a page knows its session, and no other site’s page can use it', async () => {
  const shop = await createShop(app);
  const { cookies } = await signedIn(shop);
  const query = { merchant_uuid: shop.merchant.uuid };
  const own = openSocket(app, query, { headers: { Cookie: cookies, Origin: app.address } });
  expect(await own.answered).toBe(101);
  const stranger = openSocket(app, query, { headers: { Cookie: cookies, Origin: 'https://evil.example' } });
  expect(await stranger.closed).toBe(4401);
  const heard = new Promise((resolve) => own.socket.once('message', resolve));
  await giveByHand(app, shop);
  await heard;
  own.socket.close();
  await own.closed;
});
