import { type Client } from 'pg';
import { type Transaction } from '../adapters/postgres/connection';
import { fingerprintKeyOf, fingerprintWith, seal, unseal } from '../adapters/sealing';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { getItemRow } from '../items/items';
import {
  findPerson,
  insertFormerKeys,
  isTrialTaken,
  leaveTrial,
  type Person,
  releaseSubject,
  takeTrial,
} from './trials.model';

/** The person who uses a trial. The mailbox is that of the account. Without a card there is no fingerprint. */
export interface TrialIdentity {
  merchantId: number;
  accountId: number;
  itemId: number;
  /** The provider's fingerprint of the card's number. */
  cardFingerprint?: string | undefined;
}

/**
 * Uses the one trial of an item for a person, who is identified by the account, the mailbox and the card. True if
 * `subject`, a subscription's token, has the trial, now or since an earlier call. False, without a change, if a person
 * with the same account, mailbox or card has already used the trial. Call it in the transaction that inserts the
 * subscription.
 */
export async function recordTrial(
  inTransaction: Transaction,
  trial: TrialIdentity & { subject: string },
): Promise<boolean> {
  const { merchantId, itemId, subject } = trial;
  const person = await findPerson(merchantId, trial.accountId, inTransaction);
  const hashes = hashesOf(trial, person, []);
  const taken = await takeTrial(inTransaction, { merchantId, itemId, subject }, hashes);
  if (taken.every((place) => place.subject === subject)) return true;
  const added = taken.filter(({ isNew }) => isNew).map(({ hash }) => hash);
  await leaveTrial(inTransaction, { merchantId, itemId }, added);
  return false;
}

/** Releases a trial that has not started. */
export async function releaseTrial(inTransaction: Transaction, merchantId: number, subject: string): Promise<void> {
  await releaseSubject(inTransaction, merchantId, subject);
}

/** Whether the person has used a trial of the item, with any card that the account has paid with. */
export async function hasUsedTrial(identity: TrialIdentity): Promise<boolean> {
  const { merchantId, accountId, itemId } = identity;
  const person = await findPerson(merchantId, accountId);
  return isTrialTaken(merchantId, itemId, hashesOf(identity, person, person?.fingerprints ?? []));
}

export async function getUsedTrial(caller: Caller, itemId: number): Promise<true> {
  const { merchantId, accountId } = caller;
  await getItemRow(merchantId, itemId);
  if (await hasUsedTrial({ merchantId, accountId, itemId })) return true;
  throw new AppError('trial_not_used');
}

/** Keyed hashes, because they are stored longer than the account. */
function hashesOf(
  { accountId, cardFingerprint }: TrialIdentity,
  person: Person | undefined,
  fingerprints: readonly string[],
): Buffer[] {
  const cards = cardFingerprint === undefined ? fingerprints : [cardFingerprint, ...fingerprints];
  const names = [
    `account:${accountId}`,
    ...(person ? [`mailbox:${mailboxOf(person.email)}`] : []),
    ...cards.map((card) => `card:${card}`),
  ];
  const keys = [fingerprintKeyOf(hashPurpose), ...(person?.formerKeys ?? []).map(openFormerKey)];
  return keys.flatMap((key) => [...new Set(names)].map((name) => Buffer.from(fingerprintWith(key, name), 'hex')));
}

const hashPurpose = 'used-trials';
const formerKeyPurpose = 'former trial key';

/** Keeps the key of another installation, from which merchants have come. */
export async function keepFormerKey(client: Client, merchantIds: readonly number[], key: string): Promise<void> {
  await insertFormerKeys(client, merchantIds, seal(formerKeyPurpose, key));
}

/** The key of this installation's hashes, for a merchant that moves to another one. */
export const trialKey = (): string => fingerprintKeyOf(hashPurpose).toString('base64');

function openFormerKey(sealed: Buffer): Buffer {
  const text = unseal(formerKeyPurpose, sealed);
  if (text === undefined) throw new Error('a former key of used trials cannot be opened');
  return Buffer.from(text, 'base64');
}

const dotless = ['gmail.com', 'googlemail.com'];

/** The mailbox of an address: `Ana.Petrova+tv@gmail.com` is `anapetrova@gmail.com`. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  const local = email
    .slice(0, at)
    .toLowerCase()
    .replace(/(?<=.)\+.*$/, '');
  return dotless.includes(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}
