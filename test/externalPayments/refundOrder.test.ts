import { randomUUID } from 'node:crypto';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const noon = new Date('2026-01-31T12:00:00Z');
const before = new Date(noon.getTime() - 1);
const after = new Date(noon.getTime() + 1);
const refund = { isReversed: false, at: noon };
const reversal = { isReversed: true, at: noon };

/** The reports of one refund in the order of their arrival, and whether the refund is reversed afterwards. */
test.each([
  ['a refund and its reversal of the same time', [refund, reversal], true],
  ['the same two in the other order', [reversal, refund], true],
  ['a repeated reversal', [refund, reversal, reversal], true],
  ['a later refund after a reversal', [reversal, { ...refund, at: after }], false],
  ['an earlier reversal after a refund', [refund, { ...reversal, at: before }], false],
])('%s', async (_what, reports, isReversed) => {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { keepRefund } = await import('../../src/externalPayments/purchases/refunds.model.js');
  const merchant = await createMerchant(app);
  const transactionId = randomUUID();
  for (const report of reports)
    await transaction((inTransaction) =>
      keepRefund(
        inTransaction,
        { merchantIds: [merchant.id], store: 'apple' },
        {
          transactionId,
          originalId: transactionId,
          refundedAt: noon,
          isReversed: report.isReversed,
          toldAt: report.at,
        },
      ),
    );
  const { rows } = await app.pool.query('SELECT is_reversed FROM store_refunds WHERE transaction_id = $1', [
    transactionId,
  ]);
  expect(rows).toEqual([{ is_reversed: isReversed }]);
});
