import { transaction } from '../../../src/adapters/postgres/connection';
import { forgetAccount } from '../../../src/privacy/erasures.model';
import { changeAtOnce, createActiveConsumer } from '../../support/emailChanges';
import { type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** Accounts that had the same address one after the other. */
let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const endHold = ({ id }: Person) =>
  app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [id]);

const addMail = (person: Person, accountId: number | null, to: string) =>
  app.pool.query(
    `INSERT INTO mails (merchant_id, account_id, recipient, template, language, useful_until)
     SELECT merchant_id, $2, $3, 'receipt', 'en', now() FROM accounts WHERE id = $1`,
    [person.id, accountId, to],
  );

/** The accounts of the receipts to an address. */
const receiptsTo = async (to: string) => {
  const text = `SELECT account_id AS id FROM mails WHERE recipient = $1 AND template = 'receipt' ORDER BY account_id`;
  return (await app.pool.query<{ id: number | null }>(text, [to])).rows.map(({ id }) => id);
};

const erase = ({ id }: Person) => transaction((inTransaction) => forgetAccount(inTransaction, id, ''));

test('mails of the other account to the same former address stay', async () => {
  const { merchant, consumer: first } = await createActiveConsumer(app);
  const { consumer: second } = await createActiveConsumer(app, merchant);
  const shared = first.email;
  await changeAtOnce(app, first);
  await endHold(first);
  await changeAtOnce(app, second, shared);
  await changeAtOnce(app, second);
  for (const accountId of [first.id, second.id, null]) await addMail(first, accountId, shared);
  await erase(first);
  expect(await receiptsTo(shared)).toEqual([second.id]);
});

test('data of the account that has the former address now stays', async () => {
  const { merchant, consumer: first } = await createActiveConsumer(app);
  const { consumer: second } = await createActiveConsumer(app, merchant);
  await changeAtOnce(app, first);
  await endHold(first);
  await changeAtOnce(app, second, first.email);
  await addMail(first, null, first.email);
  await erase(first);
  expect(await receiptsTo(first.email)).toEqual([null]);
});
