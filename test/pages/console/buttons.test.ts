import { consolePages } from '../../../src/pages/console/pages';
import { scopes } from '../../../src/kit/auth';
import { call } from '../../support/client';
import { consoleAddress, consolePaths, fillConsole, packageOf } from '../../support/consolePlaces';
import { createMerchant, createShop, password, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** No page of the console shows a form, or a link to another page, that its visitor may not use. */

let app: TestApp;
let shop: Shop;
let addresses: string[];

beforeAll(async () => {
  app = await startApp({ TEMPORAL_UI_URL: 'https://temporal.example' });
  await app.startWorker();
  shop = await createShop(app);
  const known = await fillConsole(app, shop);
  const shown = consolePaths.filter((path) => !path.startsWith('/console/styleguide'));
  addresses = [...shown.map((path) => consoleAddress(path, known)), `/console/items/${known[packageOf]}`];
});
afterAll(() => app.stop());

/** The addresses of the forms, as patterns, with the paths of their pages. */
const submitted = Object.values(consolePages)
  .filter(({ method }) => method === 'post')
  .map(({ path }) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

/** The address of the same form for a row that does not exist, so that the form changes nothing. */
function withoutRow(action: string): string {
  const path = submitted.find(({ pattern }) => pattern.test(action))?.path ?? action;
  return path.replace('{platform}', 'apple').replaceAll(/\{\w+\}/g, '2000000000');
}

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, address = '']) => address);

/** What the pages offer to the visitor, and what of it is refused to the visitor. */
async function walk(token: string) {
  const walker = new PageWalker(app);
  walker.keep('console', token);
  const links = new Set<string>();
  const actions = new Set<string>();
  for (const address of addresses) {
    const { status, text } = await walker.open(address);
    if (status !== 200) continue;
    for (const link of found(text, /<a\s[^>]*href="(\/console[^"#]*)/g)) links.add(link.replaceAll('&amp;', '&'));
    for (const action of found(text, /<form\s[^>]*method="post"[^>]*action="([^"]+)"/g)) actions.add(action);
  }
  actions.delete('/console/sign-out');
  const isRefused = ({ status, text }: { status: number; text: string }) =>
    status === 403 && !text.includes('_confirm_');
  const refused: string[] = [];
  for (const link of links) if (isRefused(await walker.open(link))) refused.push(link);
  for (const action of new Set([...actions].map(withoutRow))) {
    if (isRefused(await walker.submit(action))) refused.push(action);
  }
  return { refused, forms: actions.size };
}

/** The token with which another merchant acts as the merchant, with all rights. */
async function actAs({ id, uuid, email }: Shop['merchant']): Promise<string> {
  const master = await createMerchant(app);
  await app.pool.query('DELETE FROM follower_relations WHERE master_id = $1', [id]);
  const relation = 'INSERT INTO follower_relations (follower_id, master_id, scopes) VALUES ($1, $2, $3)';
  await app.pool.query(relation, [id, master.id, [...scopes]]);
  const sent = { sign_in_as: id, uuid, client_id: uuid, email, grant_type: 'social', password };
  const { body } = await call<{ access_token: string }>(app, 'POST', '/accounts/impersonate', sent, master);
  return body.access_token;
}

test.each(['read_only', 'support', 'finance', 'editor', 'admin', 'owner'])(
  '200: a member with the role %s may use every form and link that the console shows',
  async (role) => {
    const { token } = await createStaff(app, shop.merchant, { role });
    const { refused, forms } = await walk(token);
    expect(refused).toEqual([]);
    expect(forms).toBeGreaterThan(3);
  },
);

test('200: a master that acts as its follower may use every form and link that the console shows', async () => {
  const { refused, forms } = await walk(await actAs(shop.merchant));
  expect(refused).toEqual([]);
  expect(forms).toBeGreaterThan(10);
});
