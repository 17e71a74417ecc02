import { createMerchant, type Person } from '../support/factories';
import {
  createTransferFolder,
  forgetStop,
  type Installation,
  prepareInstallation,
  runHere,
  type TransferFolder,
} from '../support/installations';
import { shareScriptProcess } from '../support/scripts';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** A former address that can still be taken back is refused like a taken one. */
let app: TestApp;
let other: Omit<Installation, 'address'>;
let folder: TransferFolder;
let merchant: Person;

shareScriptProcess();

beforeAll(async () => {
  folder = await createTransferFolder();
  app = await startApp();
  other = await prepareInstallation();
  merchant = await createMerchant(app);
  await change(app, merchant.id, 'former@example.org');
  const about = ['--merchant', String(merchant.id)];
  expect(await runHere('stop', ...about)).toMatchObject({ code: 0 });
  await forgetStop(app);
  const file = ['--out', folder.at('merchant'), '--key-file', folder.keyFile];
  await until(async () => (await runHere('export', ...about, ...file)).code === 0);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await folder.remove();
});

/** A change of the address that can be undone. */
const change = ({ pool }: Pick<TestApp, 'pool'>, accountId: number, former: string) =>
  pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id,
       confirm_hash, expires_at, confirmed_at, undo_until)
     SELECT id, id, email, $2, $2, gen_random_uuid(), sha256(convert_to($2, 'UTF8')), now(), now(), now() + interval '7 days'
     FROM accounts WHERE id = $1`,
    [accountId, former],
  );

const addMerchant = (email: string) =>
  other.pool.query(
    `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT 1000, u, 1000, u, 'merchant', $1, $1, 'Another', '' FROM gen_random_uuid() AS u`,
    [email],
  );

const importIt = () =>
  other.run('import', '--in', folder.at('merchant'), '--key-file', folder.keyFile, '--same-account');

test('a merchant is refused while somebody here has its former address', async () => {
  await addMerchant('former@example.org');
  expect((await importIt()).said).toContain('Nothing was imported.\n- email_changes: 1 rows');
  await other.pool.query('DELETE FROM channels; DELETE FROM accounts');
});

test('a merchant is refused while somebody here can take its address back', async () => {
  await addMerchant('another@example.org');
  await change(other, 1000, merchant.email);
  expect((await importIt()).said).toContain('Nothing was imported.\n- email_changes: 1 rows');
  await other.pool.query('UPDATE email_changes SET undo_until = now()');
  expect(await importIt()).toMatchObject({ code: 0 });
});
