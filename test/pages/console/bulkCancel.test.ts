import { chosenAddress, openConfirmation, rowsOf, toldOf } from '../../support/bulk';
import { call } from '../../support/client';
import { createConsumer, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Cancelling several subscriptions, and what every action on several rows shares. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  walker = await enterConsole(app, shop.merchant.email);
});

/** A running subscription of a further customer. */
async function running(of: Shop = shop): Promise<string> {
  const consumer = await createConsumer(app, of.merchant);
  const { body } = await subscribe(app, { ...of, consumer });
  await reaches(app, consumer, body.subscription_id, 'active');
  return body.subscription_id;
}

const submit = (fields: Record<string, string>, by = walker) => by.submit('/console/chosen/subscriptions', fields);
const cancel = (ids: readonly string[], fields: Record<string, string> = {}, by = walker) =>
  submit({ ...rowsOf(ids), action: 'cancel', ...fields }, by);

async function isEnding(id: string, of: Shop = shop): Promise<unknown> {
  const { body } = await call<Record<string, unknown>>(app, 'GET', `/subscriptions/${id}`, undefined, of.merchant);
  return body['cancel_at_period_end'];
}

const cancellationsOf = async ({ merchant }: Shop) => {
  const text = `SELECT object_id AS id FROM audit_log WHERE merchant_id = $1 AND action = 'subscription.cancel'`;
  return (await app.pool.query<{ id: string }>(text, [merchant.id])).rows.map(({ id }) => id);
};

test('200: the list offers its rows, and the confirmation changes nothing', async () => {
  const ids = [await running(), await running()];
  const { text } = await walker.open('/console/subscriptions');
  expect([...text.matchAll(/form="chosen" name="rows\[\]" value="([^"]+)"/g)].map(([, id]) => id).sort()).toEqual(
    ids.toSorted(),
  );
  const confirmation = await walker.open(chosenAddress('subscriptions', { ...rowsOf(ids), action: 'cancel' }));
  expect(confirmation.text).toContain('2 rows selected');
  expect(confirmation.text.match(/<li>/g)?.length).toBeGreaterThanOrEqual(2);
  expect(await Promise.all(ids.map((id) => isEnding(id)))).toEqual([false, false]);
});

test('200: every row of the page, without a checkbox of its own', async () => {
  const ids = [await running(), await running()];
  const { text } = await walker.open('/console/subscriptions');
  const [, page_rows = ''] = /name="page_rows" value="([^"]+)"/.exec(text) ?? [];
  expect(page_rows.split(',').sort()).toEqual(ids.toSorted());
  const all = await walker.open(chosenAddress('subscriptions', { page_rows, all: 'true', action: 'cancel' }));
  expect(all.text).toContain('2 rows selected');
});

test('200: each row by itself: those of strangers and the unknown are not found, an ended one says why', async () => {
  const [one, two] = [await running(), await running()];
  const other = await createShop(app);
  const foreign = await running(other);
  const ended = await running();
  await call(app, 'DELETE', `/subscriptions/${ended}`, { at: 'now' }, shop.merchant);
  await walker.open('/console/subscriptions');
  const { status, text } = await cancel([foreign, one, ended, 'S-unknown', two, one]);
  expect(status).toBe(200);
  expect(text).toContain('Done for 2 of 5 rows.');
  expect(toldOf(text)).toEqual([
    'Not found',
    'Done',
    'You cannot do this in the current status of the subscription.',
    'Not found',
    'Done',
  ]);
  expect([await isEnding(one), await isEnding(two), await isEnding(foreign, other)]).toEqual([true, true, false]);
  expect(await cancellationsOf(other)).toEqual([]);
  const audited = (await cancellationsOf(shop)).filter((id) => id !== ended);
  expect(audited).toHaveLength(2);
});

test('200: the same form twice, one after the other and both at once, cancels once', async () => {
  const ids = [await running(), await running()];
  const fields = { ...rowsOf(ids), action: 'cancel' };
  const _form = await openConfirmation(walker, 'subscriptions', fields);
  expect(_form).not.toBe('');
  const answers = [
    ...(await Promise.all([cancel(ids, { _form }), cancel(ids, { _form })])),
    await cancel(ids, { _form }),
  ];
  for (const { text } of answers) expect(toldOf(text)).toEqual(['Done', 'Done']);
  expect(await cancellationsOf(shop)).toHaveLength(2);
});

test('200: no rows', async () => {
  const { text } = await walker.open(chosenAddress('subscriptions', { action: 'cancel' }));
  expect(text).toContain('No rows are selected.');
  expect((await submit({ action: 'cancel' })).text).toContain('No rows are selected.');
});

test('422 invalid_input: more than a hundred rows; 404 not_found: no such action', async () => {
  const many = Array.from({ length: 101 }, (_, index) => `S-${index}`);
  await walker.open('/console/subscriptions');
  expect((await cancel(many)).status).toBe(422);
  const page_rows = many.join(',');
  const all = chosenAddress('subscriptions', { page_rows, all: 'true', action: 'cancel' });
  expect((await walker.open(all)).status).toBe(422);
  for (const action of ['refund', 'grant', 'constructor', ''])
    expect([action, (await submit({ ...rowsOf(['S-1']), action })).status]).toEqual([action, 404]);
});

test('403 forbidden: who may only read is offered no cancellation, and cancels nothing', async () => {
  const id = await running();
  const { email } = await createFollower(app, shop.merchant, ['payments:read']);
  const reader = await enterConsole(app, email);
  expect((await reader.open('/console/subscriptions')).text).not.toContain('form="chosen"');
  expect((await reader.open(chosenAddress('subscriptions', { ...rowsOf([id]), action: 'cancel' }))).status).toBe(403);
  expect((await cancel([id], {}, reader)).status).toBe(403);
  const stranger = await enterConsole(app, (await createFollower(app, shop.merchant, ['items:write'])).email);
  await stranger.open('/console');
  expect((await cancel([id], {}, stranger)).status).toBe(403);
  expect(await isEnding(id)).toBe(false);
});
