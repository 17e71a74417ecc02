import '../support/generatedSettings';
import { pages, routes } from '../../src/endpoints';
import { merchantOf } from '../../src/kit/features';
import { type Page } from '../../src/kit/pages/page';
import { type Route } from '../../src/kit/routes';
import { examplesOf } from '../support/examples';
import { createMerchant, type Person } from '../support/factories';
import { tablesChangedBy } from '../support/fingerprint';
import { naturalRole, sendExample } from '../support/generated';
import { enterConsole } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, type World } from '../support/world';

/** A feature that a merchant turns off is refused by every declaration that names it, and works again when it is on. */

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});

afterAll(() => app.stop());

const turn = (feature: string, enabled: boolean, merchant: Person) =>
  app.pool.query(
    `INSERT INTO feature_flags (merchant_id, name, enabled) VALUES ($1, $2, $3)
     ON CONFLICT (merchant_id, name) DO UPDATE SET enabled = excluded.enabled`,
    [merchant.id, feature, enabled],
  );

const named = (): [string, string, Route][] =>
  routes.flatMap((route): [string, string, Route][] => {
    const { feature, featureFields = {} } = route.endpoint;
    const names = [...(feature === undefined ? [] : [feature]), ...Object.values(featureFields)];
    return names.map((name): [string, string, Route] => [name, route.name, route]);
  });

describe('403 feature_disabled: while it is off; nothing changes', () => {
  test.each(named())('%s: %s', async (feature, name, route) => {
    const person = naturalRole(route) === 'merchant' ? world.merchant : world.consumer;
    const fields = Object.keys(route.endpoint.featureFields ?? {});
    const extra = Object.fromEntries(fields.map((field) => [field, 'true']));
    const send = async () => {
      const request = await examplesOf(name)[0].request(world, person);
      const body = fields.length > 0 ? { body: { ...request.body, ...extra } } : {};
      return { ...request, ...body };
    };
    const request = await send();
    await turn(feature, false, world.merchant);
    const changed = await tablesChangedBy(app.pool, async () => {
      const refused = await sendExample(app, route, request, person.token);
      expect(refused).toMatchObject({ status: 403, body: { error: 'feature_disabled' } });
    });
    // The sign-in at another service has ended, with or without success.
    expect(changed.filter((table) => table !== 'social_sign_ins')).toEqual([]);
    await turn(feature, true, world.merchant);
    const answered = await sendExample(app, route, await send(), person.token);
    expect((answered.body as { error?: string } | null)?.error).not.toBe('feature_disabled');
  });
});

test('every feature that can be turned off is named by a declaration, and every name is one', async () => {
  const { builtIn } = await import('../../src/features/features.js');
  const declared = [...named().map(([feature]) => feature), ...featuredPages().map(([feature]) => feature)];
  expect([...new Set(declared)].sort()).toEqual([...builtIn].sort());
});

function featuredPages(): [string, string, Page][] {
  const all = pages.flatMap((folder) => Object.entries(folder));
  return all.flatMap(([name, page]): [string, string, Page][] =>
    page.feature === undefined ? [] : [[page.feature, name, page]],
  );
}

describe('the console has no page of what is off, and no way to one', () => {
  const shown = featuredPages().filter(([, , { method, path }]) => method === 'get' && !path.includes('{'));

  test.each(shown)('%s: %s', async (feature, _name, { path }) => {
    const merchant = await createMerchant(app);
    const walker = await enterConsole(app, merchant.email, { 'X-Forwarded-For': `10.9.0.${merchant.id % 250}` });
    expect((await walker.open(path)).status).toBe(200);
    await turn(feature, false, merchant);
    expect((await walker.open(path)).status).toBe(403);
    const address = new RegExp(`href="${path}"`);
    for (const from of ['/console', '/console/settings', '/console/reports'])
      expect((await walker.open(from)).text).not.toMatch(address);
    await turn(feature, true, merchant);
    expect((await walker.open(path)).status).toBe(200);
  });
});

test('the merchant of a request is the caller’s, or the path’s', () => {
  expect(merchantOf(undefined, { merchant_uuid: 'a' })).toEqual({ uuid: 'a' });
  expect(merchantOf(undefined, {})).toBeUndefined();
});
