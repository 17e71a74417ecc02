import '../support/generatedSettings';
import { type Caller, isPublic, mayCall, type Scope } from '../../src/kit/auth';
import { policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { scopesOfRole, type StaffRoleName, staffRoleNames } from '../../src/kit/staffRoles';
import { call } from '../support/client';
import { type Person } from '../support/factories';
import { generatedRoutes } from '../support/generated';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, openSession, type World } from '../support/world';

/** Members of the staff, in each role, who act as a customer. `actingStaff.everyEndpoint` tries each endpoint by a request. */

let app: TestApp;
let world: World;
const staff = new Map<StaffRoleName, Person>();

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
  for (const role of staffRoleNames) staff.set(role, await createStaff(app, world.merchant, { role }));
});
afterAll(() => app.stop());

const asCustomer = (actorScopes: readonly Scope[]): Caller => ({
  ...{ accountId: 2, accountUuid: 'customer', merchantId: 1, merchantUuid: 'merchant', role: 'consumer', scopes: [] },
  ...{ sessionId: 'session', clientAddress: '', dateOfBirth: null, actorUuid: 'staff', actorScopes },
});

const isOpenTo = (role: StaffRoleName, { endpoint: { auth } }: Route) =>
  isPublic(auth) || mayCall(auth, asCustomer(scopesOfRole(role)));

const roles = staffRoleNames.map((role) => [role] as const);
const actingRoles: StaffRoleName[] = ['owner', 'admin', 'support'];

test.each(roles)('%s: each endpoint asks for the scope that its declaration names', (role) => {
  const scopes = scopesOfRole(role);
  for (const [name, route] of generatedRoutes) {
    const { actorScope, verdicts } = policyOf(route.endpoint.auth);
    const holds = actorScope !== undefined && scopes.includes('impersonate') && scopes.includes(actorScope);
    const isOpen = isPublic(route.endpoint.auth) || (holds && verdicts.actedConsumer === 'pass');
    expect([name, isOpenTo(role, route)]).toEqual([name, isOpen]);
  }
});

test('of what changes something, only the end and the pause of a subscription are open', () => {
  const changing = generatedRoutes.filter(([, { endpoint }]) => endpoint.method !== 'get' && !isPublic(endpoint.auth));
  expect(changing.length).toBeGreaterThan(150);
  const open = (role: StaffRoleName) => changing.filter(([, route]) => isOpenTo(role, route)).map(([name]) => name);
  const all = staffRoleNames.map((role) => [role, open(role)]);
  expect(Object.fromEntries(all)).toEqual({
    owner: ['cancelSubscription', 'pauseSubscription'],
    admin: ['cancelSubscription', 'pauseSubscription'],
    finance: [],
    support: [],
    editor: [],
    read_only: [],
  });
});

const actAs = (actor: { token: string }, { id }: Person) =>
  call<{ access_token: string }>(app, 'POST', '/v2/accounts/impersonate', { customer_id: id }, actor);

test.each(roles)('%s: who may act as a customer at all', async (role) => {
  const { status } = await actAs(staff.get(role) ?? world.merchant, world.consumer);
  expect(status).toBe(actingRoles.includes(role) ? 200 : 403);
});

test.each([
  ['with a lower role', 'PUT', { role: 'read_only' }],
  ['who was removed', 'DELETE', undefined],
] as const)(
  '401 invalid_auth_token: a member of the staff %s acts as nobody any longer',
  async (_which, method, fields) => {
    const member = await createStaff(app, world.merchant, { role: 'support' });
    const { body } = await actAs(member, world.consumer);
    const status = async () => (await call(app, 'GET', '/accounts', undefined, { token: body.access_token })).status;
    expect(await status()).toBe(200);
    const owner = await openSession(world.merchant);
    expect((await call(app, method, `/v2/staff/${member.id}`, fields, owner)).status).toBe(200);
    expect(await status()).toBe(401);
  },
);
