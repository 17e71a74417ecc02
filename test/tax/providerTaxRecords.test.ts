import { call } from '../support/client';
import { issued } from '../support/invoices';
import {
  connect,
  createAccount,
  startAccountsApp,
  type AccountsApp,
  type StripeAccount,
} from '../support/paymentAccounts';
import { refund, refunded } from '../support/payments';
import { createProvidedShop, recordHour, sellOwn, taxSettingsOf, tellDispute } from '../support/providerTaxes';

/** What Stripe Tax has calculated is recorded there once it is paid, refunded or lost to the bank. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});
afterEach(() => app.stripe.mend());
afterAll(() => app.stop());

const recordings = '/v1/tax/transactions/create_from_calculation';
const reversals = '/v1/tax/transactions/create_reversal';

const recorded = ({ taxes }: StripeAccount) =>
  taxes.transactions.map(({ type, reference, amount, tax }) => [type, reference, amount, tax]);

test('the reports of Stripe have each paid charge once, under its transaction', async () => {
  const own = await createProvidedShop(app);
  const token = await sellOwn(app, own);
  await recordHour();
  await recordHour();
  expect(recorded(own.account)).toEqual([['transaction', `${token}-1-1`, 999, 160]]);
  const keys = app.stripe.sent.filter(
    ({ path, fields }) => path === recordings && fields['reference'] === `${token}-1-1`,
  );
  expect(keys.map(({ key }) => key)).toEqual([`tax:${token}-1-1`]);
});

test('the reports of Stripe have it once although the answer was lost', async () => {
  const own = await createProvidedShop(app);
  const token = await sellOwn(app, own);
  app.stripe.fail(recordings, '500 after the work');
  await recordHour();
  expect(await taxSettingsOf(app, own.shop)).toMatchObject({ not_recorded: [] });
  await recordHour();
  expect(recorded(own.account)).toEqual([['transaction', `${token}-1-1`, 999, 160]]);
});

test('the reports of Stripe have each refund with exactly the tax that we return', async () => {
  const own = await createProvidedShop(app);
  const token = `${await sellOwn(app, own)}-1-1`;
  for (const count of [1, 2, 3]) {
    await refund(app, own.shop.merchant, token, { amount: '3.33' });
    await refunded(app, token, count);
  }
  await recordHour();
  const notes = (await issued(app, own.shop.merchant)).filter(({ kind }) => kind === 'credit_note');
  const reversed = own.account.taxes.transactions.filter(({ type }) => type === 'reversal');
  expect(reversed.map(({ amount, tax }) => [amount, tax])).toEqual(notes.map(({ gross, tax }) => [gross, tax]));
  const sumOf = (name: 'amount' | 'tax') => own.account.taxes.transactions.reduce((total, one) => total + one[name], 0);
  expect([sumOf('amount'), sumOf('tax')]).toEqual([0, 0]);
  await recordHour();
  expect(own.account.taxes.transactions).toHaveLength(4);
});

test('the reports of Stripe get a refund after the sale, also if the sale could not be recorded before', async () => {
  const own = await createProvidedShop(app);
  const token = `${await sellOwn(app, own)}-1-1`;
  await refund(app, own.shop.merchant, token, {});
  await refunded(app, token);
  app.stripe.fail(recordings, '500 after the work');
  app.stripe.fail(reversals, '500 after the work');
  await recordHour();
  await recordHour();
  await recordHour();
  expect(recorded(own.account)).toMatchObject([
    ['transaction', token, 999, 160],
    ['reversal', expect.stringMatching(/./), -999, -160],
  ]);
});

test('the reports of Stripe lack what Stripe refuses to record, and the settings name it', async () => {
  const own = await createProvidedShop(app);
  const token = `${await sellOwn(app, own)}-1-1`;
  own.account.taxes.calculations.clear();
  await recordHour();
  await refund(app, own.shop.merchant, token, {});
  await refunded(app, token);
  await recordHour();
  expect(await taxSettingsOf(app, own.shop)).toMatchObject({
    not_recorded: [{ transaction: token, problem: expect.stringContaining('No such calculation') as string }],
  });
  expect(own.account.taxes.transactions).toEqual([]);
});

test('the reports of Stripe have a lost chargeback, and a chargeback that is won after all is named', async () => {
  const own = await createProvidedShop(app);
  const token = `${await sellOwn(app, own)}-1-1`;
  await recordHour();
  await tellDispute(app, own, { token, status: 'lost' });
  await recordHour();
  expect(recorded(own.account)).toEqual([
    ['transaction', token, 999, 160],
    ['reversal', expect.stringMatching(`^${token}-dispute-`), -999, -160],
  ]);
  expect(await taxSettingsOf(app, own.shop)).toMatchObject({ not_recorded: [] });
  await tellDispute(app, own, { token, status: 'won' });
  await recordHour();
  expect(own.account.taxes.transactions).toHaveLength(2);
  const problem = 'A chargeback was won after its loss was recorded.';
  expect(await taxSettingsOf(app, own.shop)).toMatchObject({ not_recorded: [{ transaction: token, problem }] });
});

test('the reports of Stripe name a refund that fails after it was recorded, and lack one that fails before', async () => {
  for (const isRecorded of [true, false]) {
    const own = await createProvidedShop(app);
    const token = `${await sellOwn(app, own)}-1-1`;
    await refund(app, own.shop.merchant, token, {});
    await refunded(app, token);
    if (isRecorded) await recordHour();
    await app.pool.query(`UPDATE refunds SET state = 'failed' WHERE merchant_id = $1`, [own.shop.merchant.id]);
    await recordHour();
    const problem = 'The refund has failed after it was recorded.';
    expect([own.account.taxes.transactions.length, (await taxSettingsOf(app, own.shop)).not_recorded]).toEqual(
      isRecorded ? [2, [{ transaction: token, problem }]] : [1, []],
    );
  }
});

test('the reports of Stripe lack a charge that was declined', async () => {
  const own = await createProvidedShop(app);
  await sellOwn(app, own);
  await app.pool.query(`UPDATE charges SET status = 'declined' WHERE merchant_id = $1`, [own.shop.merchant.id]);
  await recordHour();
  expect(own.account.taxes.transactions).toEqual([]);
  const { rows } = await app.pool.query('SELECT state FROM provider_taxes WHERE merchant_id = $1', [
    own.shop.merchant.id,
  ]);
  expect(rows).toEqual([{ state: 'unneeded' }]);
});

test('the reports of Stripe of one account wait for it, and those of others do not', async () => {
  const [one, other] = [await createProvidedShop(app), await createProvidedShop(app)];
  await sellOwn(app, one);
  await sellOwn(app, other);
  await call(app, 'DELETE', '/payments/provider', undefined, one.shop.merchant);
  await connect(app, one.shop.merchant, createAccount(app));
  one.account.isAuthorized = false;
  await recordHour();
  expect(other.account.taxes.transactions).toHaveLength(1);
});
