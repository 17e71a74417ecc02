import { readFile, writeFile } from 'node:fs/promises';
import { call } from '../support/client';
import {
  createConsumer,
  createFee,
  createItem,
  createShop,
  type Person,
  reaches,
  type Shop,
  subscribe,
} from '../support/factories';
import { coverPath, download, pngOf, uploaded } from '../support/images';
import {
  createTransferFolder,
  forgetStop,
  runHere,
  type Installation,
  startInstallation,
  type TransferFolder,
} from '../support/installations';
import { createTaxedShop, issued } from '../support/invoices';
import { settles, type SubmittedPayment } from '../support/payments';
import { queryBooks } from '../support/providerBooks';
import { giveTrial } from '../support/scenarios';
import { runScript } from '../support/scripts';
import { codeOf, signInWith, switchFactorOn } from '../support/secondFactors';
import { signInAgain } from '../support/sessions';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { createVoucher, giveGift } from '../support/vouchers';
import { createWebhook, isSigned, type Receiver, startReceiver } from '../support/webhooks';

/** A merchant moves from the installation of this file to another one, as the runbook says. */

let app: TestApp;
let other: Installation;
let folder: TransferFolder;
let receiver: Receiver;

beforeAll(async () => {
  const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  folder = await createTransferFolder();
  receiver = await startReceiver();
  app = await startApp(settings);
  await app.startWorker();
  other = await startInstallation(settings);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await receiver.stop();
  await folder.remove();
});

/** All rows of a merchant but those that move differently, as one text. */
async function rowsOf({ pool }: Pick<TestApp, 'pool'>, ids: number[]): Promise<string> {
  const { movedTables, sealedColumns } = await import('../../src/moving/tables.js');
  const hashes = ['audit_log', 'audit_chains', 'former_trial_keys', 'merchant_states'];
  await pool.query('SELECT fold_figures(100000)');
  const texts: string[] = [];
  for (const { table, rows } of movedTables) {
    if (hashes.includes(table)) continue;
    const keyed = table === 'vouchers' ? ['canonical_code'] : [];
    const hidden = [...Object.keys(sealedColumns[table] ?? {}), ...keyed].map((column) => ` - '${column}'`);
    const text = `SELECT coalesce(string_agg((to_jsonb(t)${hidden.join('')})::text, E'\\n' ORDER BY (to_jsonb(t)${hidden.join('')})::text), '')
      AS rows FROM ${table} t WHERE ${rows}`;
    texts.push(`${table}: ${(await pool.query<{ rows: string }>(text, [ids])).rows[0]?.rows ?? ''}`);
  }
  return texts.join('\n');
}

async function chargesOf(token: string): Promise<string[]> {
  const text = `SELECT idempotency_key AS key FROM sandbox_charges WHERE status = 'paid' AND idempotency_key LIKE $1 ORDER BY 1`;
  return (await queryBooks<{ key: string }>(app.pool, text, [`${token}:%`])).rows.map(({ key }) => key);
}

const at = (place: Pick<TestApp, 'address'>) => place as TestApp;

test('a merchant moves with all its rows, is charged once, and lives only in the other installation', async () => {
  const shop = await createTaxedShop(app);
  const { merchant, consumer } = shop;
  const plan = await createPlan(shop);
  const { subscription_id: id } = (await subscribe(app, plan)).body;
  await reaches(app, consumer, id, 'active');
  const withTrial = await createTrial(shop);
  await reaches(app, consumer, (await subscribe(app, withTrial)).body.subscription_id, 'trialing');
  const voucher = await createVoucher(app, merchant);
  const friend = await createConsumer(app, merchant);
  const gift = await giveGift(shop, friend.email);
  const { url } = await uploaded(app, merchant, coverPath, await pngOf());
  await createItem(app, merchant, { metadata: { preview_image: url } });
  const cover = await download(app, url);
  const { secret } = await createWebhook(app, merchant, { url: receiver.url });
  const factor = await switchFactorOn(app, merchant);
  const staff = await createStaff(app, merchant, { role: 'support' });
  const strangers = [await createShop(app), await createShop(other)] as const;
  const before = await Promise.all([
    rowsOf(app, [strangers[0].merchant.id]),
    rowsOf(other, [strangers[1].merchant.id]),
  ]);

  const about = ['--merchant', merchant.uuid];
  const file = folder.at('merchant');
  expect(await runHere('stop', ...about)).toMatchObject({ code: 0 });
  expect((await runHere('stop', ...about)).said).toContain('was stopped before');
  expect((await signInWith(app, staff, { client_id: 'platform' })).body).toMatchObject({
    error: 'merchant_suspended',
  });
  await forgetStop(app);
  const toFile = ['export', ...about, '--out', file, '--key-file', folder.keyFile];
  const exported = await until(async () => {
    const outcome = await runHere(...toFile);
    return outcome.code === 0 && outcome;
  });
  expect(exported.said).toMatch(/^\d+ rows are in /);
  const moving = await rowsOf(app, [merchant.id]);
  const content = (await readFile(file)).toString('latin1');
  const known = [secret, factor.secret, merchant.email, 'Ana Petrova'];
  expect(known.filter((text) => content.includes(text))).toEqual([]);

  const fromFile = ['import', '--in', file, '--key-file', folder.keyFile];
  expect((await other.run(...fromFile)).said).toContain('add --same-account');
  expect(await other.run(...fromFile, '--same-account')).toMatchObject({ code: 0 });
  expect((await other.run(...fromFile, '--same-account')).said).toContain('already imported');
  expect(await rowsOf(other, [merchant.id])).toBe(moving);
  expect((await signInWith(other, staff, { client_id: 'platform' })).body).toMatchObject({
    error: 'merchant_suspended',
  });
  expect((await other.run('keep', ...about)).said).toContain('merchant:start');

  await writeFile(folder.at('code'), 'a guess');
  const start = ['start', ...about, '--code-file', folder.at('code')];
  expect((await other.run(...start)).said).toContain('merchant:moved');
  const code = (await runHere('moved', ...about)).said.trim().split('\n').at(-1) ?? '';
  expect((await runHere('keep', ...about)).said).toContain('lives only there');
  await writeFile(folder.at('code'), `${code}\n`);
  expect(await other.run(...start)).toMatchObject({ code: 0 });

  // People sign in with what they know, and secrets are open.
  const owner = await signIn(other, merchant, { client_id: 'platform', second_factor_code: codeOf(factor.secret) });
  await signIn(other, staff, { client_id: 'platform' });
  const customer = await signInAgain(at(other), consumer);
  expect((await call(other, 'GET', `/vouchers/${voucher.id}`, undefined, owner)).status).toBe(200);

  // The old address of a picture works at the other host.
  expect((await download(at(other), url)).bytes).toEqual(cover.bytes);

  const trial = `/items/used-trial-period/${withTrial.item.id}`;
  expect((await call(other, 'GET', trial, undefined, customer)).status).toBe(200);
  await other.pool.query('DELETE FROM former_trial_keys WHERE merchant_id = $1', [merchant.id]);
  expect((await call(other, 'GET', trial, undefined, customer)).status).toBe(404);

  // The subscription renews once, there.
  await passDays(other, owner, 31);
  await until(async () => (await chargesOf(id)).length === 2);
  const [first, second] = await until(async () => {
    const found = await issued(other, merchant);
    return found.length === 2 && found;
  });
  const next = second?.year === first?.year ? 2 : 1;
  expect([first?.sequence_no, second?.sequence_no]).toEqual([1, next]);
  await reaches(other, customer, id, 'active');
  const renewed = await until(() => receiver.received.find(({ body }) => body.includes('"subscribe.')));
  expect(await isSigned(renewed, secret)).toBe(true);

  // The code of a gift that is not redeemed works in the other installation.
  const redeemed = { access_fee: shop.fee.id, voucher_code: gift.code };
  const { body } = await call<SubmittedPayment>(
    other,
    'POST',
    '/payments',
    redeemed,
    await signInAgain(at(other), friend),
  );
  await settles(other, body.transaction, 'paid');

  // Nothing happens here any more.
  const { sweepAll } = await import('../support/sweeps.js');
  await sweepAll();
  expect((await signInWith(app, staff, { client_id: 'platform' })).body).toMatchObject({
    error: 'merchant_suspended',
  });
  expect((await app.pool.query('SELECT FROM charges WHERE merchant_id = $1', [merchant.id])).rows).toHaveLength(1);
  expect(await chargesOf(id)).toEqual([`${id}:1:1`, `${id}:2:1`]);

  // Others have noticed nothing, and both audit logs are intact.
  expect(await rowsOf(app, [strangers[0].merchant.id])).toBe(before[0]);
  expect(await rowsOf(other, [strangers[1].merchant.id])).toBe(before[1]);
  const verified = await runScript('verifyAudit.js', [], other.settings);
  expect(verified).toMatchObject({ code: 0, said: expect.stringContaining(', 0 broken') as string });
  const another = await createShop(other);
  expect(another.item.id).toBeGreaterThan(1_000_000);

  // The old copy can be deleted.
  expect((await other.run('discard', ...about)).said).toContain('lives here');
  expect(await runHere('discard', ...about)).toMatchObject({ code: 0 });
  expect(await rowsOf(app, [merchant.id])).toMatch(/^(\w+: \n?)+$/);
});

async function signIn(
  place: Pick<TestApp, 'address'>,
  person: Person,
  fields: Record<string, string>,
): Promise<Person> {
  const { status, body } = await signInWith(place, person, fields);
  if (status !== 200) throw new Error(`The sign-in was answered ${status}: ${JSON.stringify(body)}`);
  return { ...person, token: body.access_token };
}

/** The shop with a monthly fee, so that its charges have invoices. */
const createPlan = async (shop: Shop): Promise<Shop> => ({
  ...shop,
  fee: await createFee(app, shop.merchant, shop.item.id),
});

/** Another item of the shop, with a trial of 60 days. */
async function createTrial(shop: Shop): Promise<Shop> {
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id);
  await giveTrial(app, fee.id, [60, 'day']);
  return { ...shop, item, fee };
}
