import { logger } from '../../adapters/logger';
import { sendNow } from '../../adapters/outbox';
import { transaction } from '../../adapters/postgres/connection';
import { getPurchase } from '../charges/charges.model';
import { listUndecided, noteLookUp, type UndecidedDispute } from './disputeLookUps.model';
import { followDisputeNow } from './providerNotifications';
import { getProviderOf } from './providers';

const pageSize = 200;

/**
 * Asks the providers once a day for the state of each dispute without a decision, because the notification of a decision can
 * be lost. A fault in one dispute is logged, so that the others and the payments are still looked up.
 */
export async function lookUpDisputes(): Promise<void> {
  for (let afterId = 0; ;) {
    const disputes = await listUndecided(afterId, pageSize);
    for (const dispute of disputes)
      await lookUp(dispute).catch((error: unknown) =>
        logger.error({ err: error, disputeId: dispute.id }, 'a dispute could not be looked up'),
      );
    const last = disputes.at(-1);
    if (!last || disputes.length < pageSize) return;
    afterId = last.id;
  }
}

/** A dispute whose provider does not answer is looked up again the next day. */
async function lookUp({ id, chargeId, reference, status, ...of }: UndecidedDispute): Promise<void> {
  const provider = await getProviderOf(of);
  const found = await provider.readDispute?.(reference);
  const purchase = { ...(await getPurchase(chargeId)), chargeId };
  const signal = await transaction(async (inTransaction) => {
    await noteLookUp(inTransaction, id);
    if (!found || found.status === status) return undefined;
    return followDisputeNow(inTransaction, { dispute: found, purchase, provider: of.provider });
  });
  if (signal) await sendNow(signal);
}
