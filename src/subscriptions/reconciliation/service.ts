import { cardProvider } from '../../adapters/cardProviders';
import { logger } from '../../adapters/logger';
import { type Reconciled } from '../../../workflows/messages';
import { listDoubtfulCharges, listDoubtfulRefunds, type DoubtfulCharge } from './model';

/** At once; the rest comes with the next round. */
const most = 200;

/**
 * Asks the provider about every charge and refund whose outcome should be known by now, and about charges that were given
 * up. It changes nothing, since each has a workflow that looks it up as well: what stays different needs a person.
 */
export async function reconcileCharges(): Promise<Reconciled> {
  const charges = await listDoubtfulCharges(most);
  const refunds = await listDoubtfulRefunds(most);
  const different: string[] = [];
  for (const charge of charges) if (await isChargedForNothing(charge)) different.push(charge.trxToken);
  for (const refund of refunds) {
    const { outcome } = await cardProvider.lookUpRefund(refund);
    if (outcome === 'refunded' || outcome === 'refused') different.push(refund.idempotencyKey);
  }
  if (different.length > 0) logger.error({ different }, 'the provider knows an outcome that we do not have');
  return { lookedUp: charges.length + refunds.length, different };
}

/** An open charge that the provider has settled, or a payer who was charged for what was given up. */
async function isChargedForNothing({ idempotencyKey, status }: DoubtfulCharge): Promise<boolean> {
  const { outcome } = await cardProvider.lookUpCharge(idempotencyKey);
  return outcome === 'paid' || (status === 'open' && outcome === 'declined');
}
