import { call } from '../../support/client';
import { card, pathOf, signedInAt } from '../../support/checkout';
import { createShop, password, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { addresses } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

/** Figures about the visitors of the paywall: number, age, and the service of their sign-in. */

let app: TestApp;

beforeAll(async () => {
  const provider = { name: 'facebook', client_id: 'x', client_secret: 'x' };
  app = await startApp({ TRUSTED_PROXIES: 'loopback', SOCIAL_PROVIDERS: JSON.stringify([provider]) });
});
afterAll(() => app.stop());

describe('the funnel', () => {
  const desk = { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0)', 'X-Forwarded-For': addresses.macedonia };
  const free = { access_type: 'freemium', amount: '0', description: 'For readers' };

  async function comeAndTake(shop: Shop): Promise<void> {
    const walker = new PageWalker(app, desk);
    await walker.open(pathOf(shop));
    await walker.open(pathOf(shop));
    await walker.open(`${pathOf(shop)}?step=register`);
    await walker.submit(`${pathOf(shop)}/sign-in`, { username: shop.consumer.email, password });
    await walker.open(pathOf(shop));
    await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id) });
    expect((await walker.openFrame(`${pathOf(shop)}/content`)).status).toBe(200);
  }

  test('is filled by who comes to the page, signed in nowhere, once a visit and a step', async () => {
    const shop = await createShop(app, free);
    await comeAndTake(shop);
    await new PageWalker(app, desk).open(pathOf(shop));
    const ask = async (path: string) => (await call<object>(app, 'GET', path, undefined, shop.merchant)).body;
    expect(await ask('/analytics/funnel')).toMatchObject({ seen: 2, checkout: 1 });
    expect(await ask('/analytics/audience')).toMatchObject({
      countries: [{ country_iso: 'MK', visits: 2 }],
      devices: [{ device: 'desktop', visits: 2 }],
    });
    const events = { paywall_view: 2, register_start: 1, checkout_start: 1, checkout_success: 1, playback_start: 1 };
    expect(await ask('/analytics/items')).toMatchObject({ collection: [{ item_id: shop.item.id, events }] });
  });

  test('stays as it is while the merchant has turned analytics off', async () => {
    const shop = await createShop(app, free);
    await call(app, 'PUT', '/v2/features/analytics', { enabled: false }, shop.merchant);
    await comeAndTake(shop);
    const { rows } = await app.pool.query('SELECT 1 FROM analytics_events WHERE merchant_id = $1', [shop.merchant.id]);
    expect(rows).toEqual([]);
  });
});

describe('an item for an age', () => {
  async function agedShop(): Promise<Shop> {
    const shop = await createShop(app);
    const { status } = await call(
      app,
      'POST',
      `/restrictions/age/item/${shop.item.id}`,
      { min_age: 18 },
      shop.merchant,
    );
    expect(status).toBeLessThan(300);
    return shop;
  }

  test('200: the date of birth is asked for at the registration', async () => {
    const { text } = await new PageWalker(app).open(`${pathOf(await agedShop())}?step=register`);
    expect(text).toContain('name="date_of_birth"');
  });

  test('200: who has told none tells it there, and goes on', async () => {
    const shop = await agedShop();
    const walker = await signedInAt(app, shop);
    expect((await walker.open(pathOf(shop))).text).toContain('Enter your date of birth.');
    const refused = await walker.submit(`${pathOf(shop)}/birth-date`, { date_of_birth: '2999-01-01' });
    expect([refused.status, refused.text.includes('aria-invalid="true"')]).toEqual([422, true]);
    expect((await walker.submit(`${pathOf(shop)}/birth-date`, { date_of_birth: '' })).status).toBe(422);
    const done = await walker.submit(`${pathOf(shop)}/birth-date`, { date_of_birth: '1990-05-01' });
    expect(done.text).toContain('Checkout');
    expect((await walker.submit(`${pathOf(shop)}/pay`, { ...card, fee: String(shop.fee.id) })).status).toBe(200);
  });

  test('200: who is too young is told so, and no second date opens it', async () => {
    const shop = await agedShop();
    const walker = await signedInAt(app, shop);
    const born = `${new Date().getUTCFullYear() - 10}-01-01`;
    const told = await walker.submit(`${pathOf(shop)}/birth-date`, { date_of_birth: born });
    expect(told.text).toContain('You do not meet the minimum age');
    const again = await walker.submit(`${pathOf(shop)}/birth-date`, { date_of_birth: '1990-05-01' });
    expect(again.text).toContain('You do not meet the minimum age');
  });
});

describe('a sign-in elsewhere', () => {
  const stateOf = (text: string) => {
    const state = /accounts\/social\/facebook\?state=([\w-]+)/.exec(text)?.[1] ?? '';
    return JSON.parse(Buffer.from(state, 'base64url').toString() || '{}') as { redirect?: string };
  };

  test('is offered without a registered address, and comes back to the item with what was chosen', async () => {
    const shop = await createShop(app);
    const { text } = await new PageWalker(app).open(`${pathOf(shop)}?step=register&gift=true`);
    expect(stateOf(text).redirect).toBe(`http://paywall.test${pathOf(shop)}?gift=true`);
  });

  test('422: comes back to no other page than the merchant’s own', async () => {
    const [shop, other] = [await createShop(app), await createShop(app)];
    const asked = async (redirect: string, link = '') => {
      const state = Buffer.from(JSON.stringify({ client_id: shop.merchant.uuid, redirect })).toString('base64url');
      return (await call(app, 'GET', `/accounts/social${link}?state=${state}`)).status;
    };
    expect(await asked(`http://paywall.test${pathOf(shop)}`)).toBe(200);
    expect(await asked(`http://paywall.test/portal/${shop.merchant.uuid}/sign-in`)).toBe(200);
    const elsewhere = [
      `http://paywall.test${pathOf(other)}`,
      `http://paywall.test.evil.example${pathOf(shop)}`,
      `https://evil.example${pathOf(shop)}`,
      `http://paywall.test${pathOf(shop)}/content`,
      `http://paywall.test${pathOf(shop)}?next=https://evil.example`,
      `http://paywall.test/console`,
    ];
    for (const redirect of elsewhere) expect([redirect, await asked(redirect, '/facebook')]).toEqual([redirect, 422]);
  });
});
