import { createConsumer, createMerchant, createShop, password, type Person } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { codeOf, forgetSteps, signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const portalOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}`;
const challengeIn = (text: string) => /name="second_factor_challenge" value="([^"]+)"/.exec(text)?.[1] ?? '';

test('303: a customer with a second factor enters the portal with its code', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { secret } = await switchFactorOn(app, consumer);
  const walker = new PageWalker(app);
  const path = `${portalOf(consumer)}/sign-in`;
  await walker.open(path);
  const asked = await walker.submit(path, { username: consumer.email, password });
  expect(asked.status).toBe(200);
  const step = { second_factor_challenge: challengeIn(asked.text) };
  expect((await walker.submit(path, { ...step, second_factor_code: codeOf(secret, 20) })).status).toBe(422);
  expect((await walker.submit(path, { ...step, second_factor_code: codeOf(secret) })).status).toBe(303);
});

test('200: at the paywall, too', async () => {
  const { merchant, consumer, item } = await createShop(app);
  const { secret } = await switchFactorOn(app, consumer);
  const walker = new PageWalker(app);
  const path = `/paywall/${merchant.uuid}/${item.id}`;
  await walker.open(path);
  const asked = await walker.submit(`${path}/sign-in`, { username: consumer.email, password });
  const step = { second_factor_challenge: challengeIn(asked.text), second_factor_code: codeOf(secret) };
  expect((await walker.submit(`${path}/sign-in`, step)).status).toBe(303);
});

test('200: a customer switches its second factor on, gets other recovery codes, and switches it off', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(consumer)}/sign-in`);
  await walker.submit(`${portalOf(consumer)}/sign-in`, { username: consumer.email, password });
  const own = `${portalOf(consumer)}/security`;
  expect((await walker.open(own)).text).toContain('Second factor');
  expect((await walker.submit(`${own}/second-factor`, { password: 'another-horse' })).status).toBe(422);
  const { text } = await walker.submit(`${own}/second-factor`, { password });
  const secret = /<code[^>]*dir="ltr"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(' ', '') ?? '';
  const confirm = /action="([^"]+\/confirm)"/.exec(text)?.[1] ?? '';
  expect((await walker.submit(confirm, { code: codeOf(secret, 20) })).status).toBe(422);
  const codes = /([0-9A-Z]{4}-){5}[0-9A-Z]{4}/g;
  const first = (await walker.submit(confirm, { code: codeOf(secret) })).text.match(codes);
  await forgetSteps(app, consumer);
  expect((await walker.open(own)).text).toContain('10 recovery codes left');
  const renewal = `${own}/second-factor/recovery-codes`;
  expect((await walker.submit(renewal, { newCodes_code: '123456' })).status).toBe(422);
  const second = (await walker.submit(renewal, { newCodes_code: codeOf(secret) })).text.match(codes);
  expect([first?.length, second?.length, second?.some((code) => first?.includes(code))]).toEqual([10, 10, false]);
  const off = /action="([^"]+\/off)"/.exec((await walker.open(own)).text)?.[1] ?? '';
  expect((await walker.submit(off, { switchOff_code: '123456' })).status).toBe(422);
  expect((await walker.submit(off, { switchOff_code: second?.[0] ?? '' })).status).toBe(303);
  expect((await signInWith(app, consumer)).status).toBe(200);
});
