import { sendAnswer } from '../charges/answers';
import { getPurchase } from '../charges/charges.model';
import { listPaidDebits, listProcessingPayments } from './debitReturns.model';
import { followReturn } from './providerNotifications';
import { getProviderOf } from './providers';

/** Direct debits of a provider that sends no notifications. This is only the sandbox, which is polled instead. */

const pageSize = 200;

/** Processes paid debits that payers have taken back. With `merchantId`, only those of this merchant. */
export async function followReturns(merchantId?: number): Promise<void> {
  for (let afterId = 0; ;) {
    const debits = await listPaidDebits(afterId, pageSize, merchantId);
    for (const { id, idempotencyKey, at, ...of } of debits) {
      const { debits: maker, name } = await getProviderOf(of);
      const found = await maker?.findReturn?.(idempotencyKey, at);
      if (found) await followReturn({ ...(await getPurchase(id)), chargeId: id }, name, found);
    }
    const last = debits.at(-1);
    if (!last || debits.length < pageSize) return;
    afterId = last.id;
  }
}

/** The merchant's test clock has moved. The bank may have decided on debits, and payers may have taken some back. */
export async function passDebitTime(merchantId: number): Promise<void> {
  for (const { id, reference } of await listProcessingPayments(merchantId))
    await sendAnswer(await getPurchase(id), reference, '');
  await followReturns(merchantId);
}
