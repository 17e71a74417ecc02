import { findBrowserHash, hasProvenMailbox } from '../accounts/tokens/devices';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { hashOf } from '../kit/secrets';
import { wasProvenIn, writeEntry } from './savedCards.model';

/**
 * The use of a saved card in a browser. A card that was entered in a browser can pay there again after it has paid or was
 * verified. This is for the entered card only: a thief of a session who pays with a card of their own must not reach the
 * owner's cards. A mailed code opens all cards of the account, because it reaches the owner only.
 */

/** Records the browser in which a card was entered. A link in a mail has no session. */
export async function rememberEntry(
  inTransaction: Transaction,
  { sessionId }: Partial<Pick<Caller, 'sessionId'>>,
  cardId: number,
  { isVerified = false } = {},
): Promise<void> {
  const browserHash = sessionId === undefined ? null : await findBrowserHash(inTransaction, { sessionId });
  await writeEntry(inTransaction, { cardId, browserHash, isVerified });
}

/**
 * Throws `card_confirmation_required` for a card that the browser of the request has not used. An app has no browser: it
 * stores its token itself, and its developer decides on the checks.
 */
export async function refuseUnconfirmed(
  inTransaction: Transaction,
  caller: Pick<Caller, 'accountId'>,
  cardId: number,
  { browser }: Pick<RequestFacts, 'browser'>,
): Promise<void> {
  if (browser === undefined) return;
  const browserHash = hashOf(browser);
  if (await wasProvenIn(inTransaction, cardId, browserHash)) return;
  if (await hasProvenMailbox(inTransaction, caller, browserHash)) return;
  throw new AppError('card_confirmation_required');
}

/** The same for a change that charges the card of a subscription. A merchant acts for its customer, and is not asked. */
export async function refuseUnconfirmedChange(
  caller: Pick<Caller, 'accountId'>,
  { accountId, cardId }: { accountId: number; cardId: number | null },
  request: Pick<RequestFacts, 'browser'>,
): Promise<void> {
  if (cardId === null || caller.accountId !== accountId || request.browser === undefined) return;
  await transaction((inTransaction) => refuseUnconfirmed(inTransaction, caller, cardId, request));
}
