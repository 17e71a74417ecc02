import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** A fault for which the card provider refuses charges, and that only the operator or the merchant can fix. */
export interface Fault {
  merchantId: number;
  provider: string;
  code: string;
  message: string;
}

/** A waiting renewal is tried at least every hour, so a fault that was not seen for two hours has ended. */
const ended = `seen_at < now() - interval '2 hours'`;
const noteStatement = statement<{ isNew: boolean; email: string }>(
  'provider_fault_note',
  `WITH noted AS (
     INSERT INTO provider_faults AS f (merchant_id, provider, code, message) VALUES ($1, $2, $3, $4)
     ON CONFLICT (merchant_id, provider, code) DO UPDATE SET
       times = CASE WHEN f.${ended} THEN 1 ELSE f.times + 1 END,
       began_at = CASE WHEN f.${ended} THEN now() ELSE f.began_at END,
       message = excluded.message, seen_at = now()
     RETURNING merchant_id, times
   )
   SELECT n.times = 1 AS "isNew", a.email FROM noted n JOIN accounts a ON a.id = n.merchant_id`,
);

/** Saves the fault. `isNew`: the merchant was not informed of it yet. `email` is the merchant's address. */
export async function noteFault({ merchantId, provider, code, message }: Fault, inTransaction: Transaction) {
  const [noted] = await noteStatement([merchantId, provider, code, message], inTransaction);
  if (!noted) throw new Error(`a fault of merchant ${merchantId} was not noted`);
  return noted;
}

const endStatement = statement(
  'provider_fault_end',
  'DELETE FROM provider_faults WHERE merchant_id = $1 AND provider = $2 AND code = $3',
);

export async function endFault({ merchantId, provider, code }: Omit<Fault, 'message'>): Promise<void> {
  await endStatement([merchantId, provider, code]);
}

const presentStatement = statement<{ message: string }>(
  'provider_fault_present',
  `SELECT message FROM provider_faults WHERE merchant_id = $1 AND NOT ${ended} ORDER BY seen_at DESC, code LIMIT 1`,
);

/** The provider's words of the fault that was seen last. Undefined without a fault. */
export async function findFault(merchantId: number): Promise<string | undefined> {
  return (await presentStatement([merchantId]))[0]?.message;
}
