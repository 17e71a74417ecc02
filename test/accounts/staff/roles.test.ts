import '../../support/generatedSettings';
import { type Scope, scopes } from '../../../src/kit/auth';
import { policyOf } from '../../../src/kit/policy';
import { examplesOf } from '../../support/examples';
import { generatedRoutes, inParallel, sendExample } from '../../support/generated';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { createWorld, type World } from '../../support/world';

/** What each role may do, written a second time: every call with a scope is tried by a member with each role. */

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});
afterAll(() => app.stop());

const reads: readonly Scope[] = ['accounts:read', 'items:read', 'vouchers:read', 'payments:read', 'reports:read'];
const roles: [string, readonly Scope[]][] = [
  ['owner', scopes],
  ['admin', scopes.filter((scope) => scope !== 'apps:write')],
  ['finance', [...reads, 'payments:write']],
  ['support', ['accounts:read', 'accounts:write', 'items:read', 'vouchers:read', 'payments:read', 'impersonate']],
  ['editor', ['items:read', 'items:write', 'vouchers:read', 'vouchers:write', 'restrictions:write', 'branding:write']],
  ['read_only', reads],
];

const ofMerchants = generatedRoutes.filter(([, { endpoint }]) => endpoint.auth.kind === 'merchant');

test.each(roles)(
  '403 forbidden: %s is refused what its scopes do not contain, and reads the rest',
  async (role, own) => {
    expect(ofMerchants.length).toBeGreaterThan(100);
    const member = await createStaff(app, world.merchant, { role });
    const wrong = await inParallel(ofMerchants, async ([name, route]) => {
      const { scope } = policyOf(route.endpoint.auth);
      const isOpen = scope !== undefined && own.includes(scope);
      // A call that is open and changes something would change the world of the other calls.
      if (isOpen && route.endpoint.method !== 'get') return [];
      const [example] = examplesOf(name);
      const { status } = await sendExample(app, route, await example.request(world, world.merchant), member.token);
      return (status === 403) === isOpen ? [`${name} answers ${status}`] : [];
    });
    expect(wrong.flat()).toEqual([]);
  },
);
