import { type Transaction } from '../adapters/postgres/connection';
import { execute, query } from '../adapters/postgres/statement';

/** A period of a schedule; days in UTC, both inclusive. */
export interface Mailing {
  merchantId: number;
  scheduleId: number;
  from: string;
  to: string;
}

export async function wasMailed({ scheduleId, from, to }: Mailing): Promise<boolean> {
  const text = 'SELECT 1 FROM report_mailings WHERE schedule_id = $1 AND from_day = $2 AND to_day = $3';
  return (await query(text, [scheduleId, from, to])).length > 0;
}

/** `repeated`: the period was mailed before. `ended`: the schedule was deleted. An existing one is locked. */
export async function insertMailing(
  inTransaction: Transaction,
  { merchantId, scheduleId, from, to }: Mailing,
): Promise<'mailed' | 'repeated' | 'ended'> {
  const known = 'SELECT id FROM report_schedules WHERE id = $1 AND merchant_id = $2 FOR KEY SHARE';
  if ((await execute(inTransaction, known, [scheduleId, merchantId])).length === 0) return 'ended';
  const inserted = await execute(
    inTransaction,
    `INSERT INTO report_mailings (merchant_id, schedule_id, from_day, to_day) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING schedule_id`,
    [merchantId, scheduleId, from, to],
  );
  return inserted.length === 0 ? 'repeated' : 'mailed';
}
