import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type VoucherResponse } from '../../src/vouchers/vouchers.schemas';
import { call } from './client';
import { type Person, type Shop } from './factories';
import { type TestApp } from './startApp';

export type Voucher = z.output<typeof VoucherResponse>;

export const voucherFields = { name: 'Spring', discount: 25, start_date: '2020-01-01T00:00:00Z' };

/** By default valid now and for everything, 25 % off the first charge, with a generated code. */
export async function createVoucher(
  app: Pick<TestApp, 'address'>,
  merchant: Pick<Person, 'token'>,
  fields: Record<string, unknown> = {},
): Promise<Voucher> {
  const { status, body } = await call<Voucher>(app, 'POST', '/vouchers', { ...voucherFields, ...fields }, merchant);
  if (status !== 201) throw new Error(`The voucher was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A package of the merchant, with nothing in it and a fee of its own. */
export async function createPackage(app: TestApp, { merchant, fee }: Shop): Promise<{ id: number; feeId: number }> {
  const { rows } = await app.pool.query<{ id: number; fee_id: number }>(
    `WITH package AS (
       INSERT INTO items (merchant_id, title, item_type) VALUES ($1, 'Season ticket', 'package') RETURNING id
     )
     INSERT INTO access_fees (merchant_id, item_id, access_type_id, amount_minor, currency, description)
     SELECT $1, package.id, $2, 4999, 'EUR', 'Season' FROM package RETURNING item_id AS id, id AS fee_id`,
    [merchant.id, fee.access_type.id],
  );
  const [row] = rows;
  if (!row) throw new Error('the package was not made');
  return { id: row.id, feeId: row.fee_id };
}

export interface Gift {
  giftId: number;
  code: string;
  paymentToken: string;
}

/** The gift of a paid payment with `is_gift`: the shop's fee for somebody else. */
export async function giveGift(
  shop: Pick<Shop, 'merchant' | 'consumer' | 'item' | 'fee'>,
  receiverEmail = `receiver-${randomUUID()}@example.org`,
  paymentToken = `C-${randomUUID()}`,
): Promise<Gift> {
  const { createGift } = await import('../../src/vouchers/gifts.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const gift = {
    merchantId: shop.merchant.id,
    buyerAccountId: shop.consumer.id,
    receiverEmail,
    itemId: shop.item.id,
    accessFeeId: shop.fee.id,
    paymentToken,
  };
  return { ...(await transaction((inTransaction) => createGift(inTransaction, gift))), paymentToken };
}
