import '../support/generatedSettings';
import { scopes } from '../../src/kit/auth';
import { policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { examplesOf } from '../support/examples';
import { type AuditRow } from '../support/followers';
import { createConsumer, createFee, createItem, type Person } from '../support/factories';
import { generatedRoutes, naturalRole, sendExample } from '../support/generated';
import { startApp, type TestApp } from '../support/startApp';
import { createFollower, createWorld, type World } from '../support/world';

/** What a master changes as its follower has an entry of its own in the follower’s log, which names the master. */

let app: TestApp;
let master: Person;
/** The shop of the follower, and the token with which its master acts as it. */
let shop: World;
let acted: string;

beforeAll(async () => {
  app = await startApp();
  const world = await createWorld(app);
  master = world.merchant;
  const merchant = await createFollower(world, scopes);
  acted = merchant.acted;
  const [consumer, item] = [await createConsumer(app, merchant), await createItem(app, merchant)];
  shop = { app, merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
});
afterAll(() => app.stop());

const isChange = ({ endpoint, ...route }: Route) =>
  endpoint.method !== 'get' &&
  naturalRole({ endpoint, ...route }) === 'merchant' &&
  policyOf(endpoint.auth).actorScope !== undefined;
const changes = generatedRoutes.filter(([, route]) => isChange(route));

/** Changes that the master may make as its follower and that have no entry of their own, with the reason. */
const exempt: Record<string, string> = {
  reactivateItem: 'its example is on sale already: nothing changes',
  reactivatePackage: 'the same',
  previewMailText: 'shows a draft, and changes nothing',
  sendTestMail: 'mails a draft to the caller, and changes nothing',
};

type Entry = Pick<AuditRow, 'action' | 'object_type' | 'object_id' | 'acted_by'>;

async function entriesAfter(count: number): Promise<Entry[]> {
  const text = `SELECT action, object_type, object_id, acted_by FROM audit_log WHERE merchant_id = $1 ORDER BY sequence`;
  return (await app.pool.query<Entry>(text, [shop.merchant.id])).rows.slice(count);
}

test.each(changes)('%s', async (name, route) => {
  for (const { request, answers } of examplesOf(name)) {
    if (answers !== undefined) continue;
    const sent = await request(shop, shop.merchant);
    const before = (await entriesAfter(0)).length;
    const { status, body } = await sendExample(app, route, sent, acted);
    if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    const entries = await entriesAfter(before);
    expect(entries.filter(({ acted_by }) => acted_by !== master.uuid)).toEqual([]);
    const own = entries.filter(({ action }) => action !== 'impersonation.write');
    expect({ own, isExempt: own.length === 0 }).toEqual({ own, isExempt: name in exempt });
  }
});
