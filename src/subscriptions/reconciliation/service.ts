import { cardProvider } from '../../adapters/cardProviders';
import { type ChargeResult } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/service';
import { type Reconciled } from '../../../workflows/messages';
import { formatAmount } from '../billing/money';
import { getPurchase } from '../charges/model';
import { getPaymentFacts } from '../payments/lifecycle/model';
import { listDoubtfulCharges, listDoubtfulRefunds, noteReturn, type DoubtfulCharge } from './model';

/** Read at once. */
const pageSize = 200;

/**
 * Asks the provider about every charge and refund whose outcome should be known by now, and about charges that were given
 * up. What was paid after it had been given up goes back to the payer. All else has a workflow that looks it up as well:
 * what stays different needs a person.
 */
export async function reconcileCharges(): Promise<Reconciled> {
  const found: Required<Reconciled> = { lookedUp: 0, different: [], returned: [] };
  for await (const charge of each(listDoubtfulCharges)) await reconcileCharge(charge, found);
  for await (const refund of each(listDoubtfulRefunds)) {
    found.lookedUp += 1;
    const { outcome } = await cardProvider.lookUpRefund(refund);
    if (outcome === 'refunded' || outcome === 'refused') found.different.push(refund.idempotencyKey);
  }
  const { different, returned } = found;
  if (returned.length > 0) logger.warn({ returned }, 'what was paid too late went back');
  if (different.length > 0) logger.error({ different }, 'the provider knows an outcome that we do not have');
  return found;
}

/** All rows, page by page in the order of their ids. */
async function* each<Row extends { id: number }>(list: (afterId: number, limit: number) => Promise<Row[]>) {
  for (let afterId = 0; ;) {
    const rows = await list(afterId, pageSize);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    afterId = last.id;
  }
}

async function reconcileCharge(charge: DoubtfulCharge, found: Required<Reconciled>): Promise<void> {
  found.lookedUp += 1;
  const { idempotencyKey, reference, token, status, trxToken } = charge;
  const result = await cardProvider.lookUpCharge(idempotencyKey, { reference, token });
  if (status === 'open') {
    if (result.outcome === 'paid' || result.outcome === 'declined') found.different.push(trxToken);
  } else if (result.outcome === 'paid') {
    ((await giveBack(charge, result)) ? found.returned : found.different).push(trxToken);
  }
}

/** Under a key of its own, so that another round gives it back no second time. False: not yet, or the bank refuses it. */
async function giveBack(charge: DoubtfulCharge, paid: Extract<ChargeResult, { outcome: 'paid' }>): Promise<boolean> {
  const { id, idempotencyKey: chargeKey, amountMinor, currency } = charge;
  const about = { chargeKey, chargeReference: paid.reference, amountMinor, currency };
  const request = { idempotencyKey: `${chargeKey}:return`, ...about };
  const earlier = await cardProvider.lookUpRefund(request);
  const { outcome } = earlier.outcome === 'not_sent' ? await cardProvider.refund(request) : earlier;
  if (outcome !== 'refunded') return false;
  await transaction(async (inTransaction) => {
    if (!(await noteReturn(inTransaction, id, paid.reference)) || charge.isErased) return;
    const purchase = await getPurchase(id, inTransaction);
    const { merchantId, accountId, brandingId } = purchase;
    const { description, email: to } = await getPaymentFacts(purchase, inTransaction);
    const values = { description, amount: formatAmount(amountMinor, currency), token: charge.trxToken };
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'refund', values });
  });
  return true;
}
