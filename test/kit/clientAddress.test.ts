import { call } from '../support/client';
import { addresses, createCountrySet, createOpenShop, refusalOf } from '../support/restrictions';
import { startApp, type TestApp } from '../support/startApp';

/** Without trusted proxies, which is the default, the address is the connection's. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test.each(['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP'])(
  'a visitor cannot say where it is: %s',
  async (header) => {
    const shop = await createOpenShop(app);
    await createCountrySet(app, shop, { countries: ['MK'] });
    const { token } = shop.consumer;
    const headers = { [header]: header === 'Forwarded' ? `for=${addresses.macedonia}` : addresses.macedonia };
    const reply = await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, { token, headers });
    expect([reply.status, reply.body['errors']]).toEqual([402, { geo: expect.any(String) as string }]);
    expect(await refusalOf(app, shop)).toBe('geo');
  },
);
