import { createOpenShop, type DomainRow, manage } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the merchant’s own list by id, or one domain of it; never an item’s or another merchant’s', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ domain: 'b.example' }, { domain: 'a.example' }] });
  await manage(app, shop, 'POST', `domain/whitelist/item/${shop.item.id}`, { domains: [{ domain: 'c.example' }] });
  await manage(app, neighbour, 'POST', 'domain/blacklist', { domains: [{ domain: 'a.example' }] });
  const of = async (query: string) =>
    (await manage<DomainRow[]>(app, shop, 'GET', `domain${query}`)).body.map(({ domain }) => domain);
  expect(await of('')).toEqual(['b.example', 'a.example']);
  expect(await of('?domain=https://A.example/')).toEqual(['a.example']);
  expect(await of('?domain=c.example')).toEqual([]);
});

test('422 invalid_input: a domain that is no host name', async () => {
  expect((await manage(app, await createOpenShop(app), 'GET', 'domain?domain=not%20one')).status).toBe(422);
});
