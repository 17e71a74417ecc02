import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export interface DemoFill {
  id: number;
  token: string;
  merchantId: number;
  requestedBy: number;
  state: 'running' | 'done';
  stepsDone: number;
  beginsAt: Date;
}

const columns = `id, token, merchant_id AS "merchantId", requested_by AS "requestedBy", state, steps_done AS "stepsDone",
  begins_at AS "beginsAt"`;

const beginStatement = statement<DemoFill>(
  'demo_fill_begin',
  `INSERT INTO demo_fills (merchant_id, requested_by, begins_at) VALUES ($1, $2, merchant_now($1))
   ON CONFLICT (merchant_id) DO NOTHING RETURNING ${columns}`,
);

/** Undefined if the merchant has asked before. Of two requests at once the second waits for the first. */
export async function beginFill(
  inTransaction: Transaction,
  { merchantId, accountId }: { merchantId: number; accountId: number },
): Promise<DemoFill | undefined> {
  const [row] = await beginStatement([merchantId, accountId], inTransaction);
  return row;
}

const ofMerchantStatement = statement<DemoFill>(
  'demo_fill_of_merchant',
  `SELECT ${columns} FROM demo_fills WHERE merchant_id = $1`,
);

export async function findFill(merchantId: number): Promise<DemoFill | undefined> {
  const [row] = await ofMerchantStatement([merchantId]);
  return row;
}

const readStatement = statement<DemoFill>('demo_fill_read', `SELECT ${columns} FROM demo_fills WHERE id = $1`);

export async function readFill(id: number): Promise<DemoFill> {
  const [row] = await readStatement([id]);
  if (!row) throw new Error('there is no such demo data');
  return row;
}

const advanceStatement = statement(
  'demo_fill_advance',
  `UPDATE demo_fills SET steps_done = greatest(steps_done, $2), next_due_at = now(),
     state = CASE WHEN $2 >= $3 THEN 'done' ELSE state END
   WHERE id = $1`,
);

export async function advanceFill(id: number, stepsDone: number, stepsAll: number): Promise<void> {
  await advanceStatement([id, stepsDone, stepsAll]);
}
