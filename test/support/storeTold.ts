import { type StorePurchase } from '../../src/adapters/appStores/store';
import { type StorePurchaseRow } from '../../src/externalPayments/purchases/purchases.model';
import { type Person, type Shop } from './factories';

/** Purchases in app stores by given answers of the stores. No store is asked. */

const dayMs = 86_400_000;
let originals = 0;
export const newOriginal = () => `original-${(originals += 1)}`;

export interface Told {
  state: StorePurchase['state'];
  isTrial: boolean;
  price: StorePurchase['price'];
  /** A renewal is another transaction. */
  transaction: number;
}

export function answerOf(id: string, { state, isTrial, price, transaction }: Told, atMs: number): StorePurchase {
  const at = new Date(atMs);
  return {
    ...{ reference: { id, environment: 'production', productId: 'monthly' }, transactionId: `${id}-${transaction}` },
    ...{ kind: 'subscription', state, isTrial, autoRenew: state === 'active', purchasedAt: at, periodStartsAt: at },
    ...{ expiresAt: new Date(atMs + 30 * dayMs), graceEndsAt: null, resumesAt: null },
    ...{ revokedAt: state === 'revoked' ? at : null, price, nextProductId: null, replacesId: null },
    ...{ needsAcknowledgement: false, accountUuid: null, countryIso: 'FR', asOf: at },
  };
}

/** What the product does with an answer: imported after the settings name the test's database. */
export async function importStores() {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { claimPurchase } = await import('../../src/externalPayments/purchases/purchases.js');
  const { applyAnswer } = await import('../../src/externalPayments/purchases/changes.js');
  const { StorePurchaseRow: Row } = await import('../../src/externalPayments/purchases/purchases.model.js');

  function claim(shop: Shop, consumer: Person, store: StorePurchaseRow['store'], found: StorePurchase) {
    const { merchant, item, fee } = shop;
    const settings = { transferPolicy: 'transfer', sandboxPurchases: false } as never;
    const matched = { id: fee.id, itemId: item.id } as never;
    const claimant = { merchantId: merchant.id, accountId: consumer.id, fee: matched, settings, claimEvents: () => [] };
    return transaction((inTransaction) => claimPurchase(inTransaction, claimant, store, found));
  }

  function look(id: string, found: StorePurchase, atMs: number): Promise<void> {
    return transaction(async (inTransaction) => {
      const row = await Row.findOne({ where: { originalId: id }, rejectOnEmpty: true, transaction: inTransaction });
      await applyAnswer(inTransaction, row, found, new Date(atMs));
    });
  }

  return { claim, look };
}
