import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type Transaction } from '../../src/adapters/postgres/connection';
import type * as Uses from '../../src/vouchers/uses';
import { type Shop } from './factories';

/** The use of a voucher for a purchase, step by step, each in a transaction of its own. */

export type Reservation = Parameters<typeof Uses.reserveVoucher>[1];

/** A purchase of the shop's consumer with a code. */
export const reservationOf = (shop: Shop, code: string, changes: Partial<Reservation> = {}): Reservation => ({
  merchantId: shop.merchant.id,
  accountId: shop.consumer.id,
  itemId: shop.item.id,
  accessFeeId: shop.fee.id,
  code,
  subject: `S-${randomUUID()}`,
  ...changes,
});

export const reserve = (of: Reservation) =>
  inOwnTransaction((uses, transaction) => uses.reserveVoucher(transaction, of));

export const confirm = (subject: string) =>
  inOwnTransaction((uses, transaction) => uses.confirmVoucher(transaction, subject));

export const release = (subject: string) =>
  inOwnTransaction((uses, transaction) => uses.releaseVoucher(transaction, subject));

export const giveBack = (subject: string) =>
  inOwnTransaction((uses, transaction) => uses.returnVoucher(transaction, subject));

export async function hold(subject: string): Promise<boolean> {
  const { holdVoucher } = await import('../../src/vouchers/uses.js');
  return holdVoucher(subject);
}

async function inOwnTransaction<T>(work: (uses: typeof Uses, inTransaction: Transaction) => Promise<T>): Promise<T> {
  const uses = await import('../../src/vouchers/uses.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  return transaction((inTransaction) => work(uses, inTransaction));
}

/** Ends the hour of a reservation whose charge has not begun. */
export const lapse = (pool: Pool, subject: string) =>
  pool.query(
    `UPDATE voucher_uses SET lapses_at = now() WHERE subject = $1 AND state = 'reserved' AND lapses_at < 'infinity'`,
    [subject],
  );

export async function usageCounterOf(pool: Pool, voucherId: number): Promise<number> {
  const text = 'SELECT usage_counter FROM vouchers WHERE id = $1';
  return (await pool.query<{ usage_counter: number }>(text, [voucherId])).rows[0]?.usage_counter ?? NaN;
}
