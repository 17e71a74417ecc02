import { type Caller } from '../kit/auth';
import { findByToken, type ReferenceRow } from './references.model';

export type Reference = ReferenceRow;

/** Finds what a token names: a subscription, a payment, a charge or a refund. A token of another merchant finds nothing. */
export function findReferences({ merchantId }: Caller, token: string): Promise<Reference[]> {
  return findByToken(merchantId, token);
}
