import { evidenceTextMax, type DisputeEvidence } from '../../adapters/cardProviders/notifications';
import { type Device } from '../../kit/devices';
import { findReceiptFile } from '../receipts';
import {
  type EvidenceFacts,
  getEvidenceFacts,
  listSignIns,
  type ReadableEvidence,
  type SignIn,
} from './disputes.model';

/** The evidence that the customer bought and used the product. */

type EvidenceTexts = Omit<DisputeEvidence, 'statement' | 'receipt'>;

export async function getEvidence(chargeId: number): Promise<ReadableEvidence> {
  const facts = await getEvidenceFacts(chargeId);
  const { trxToken, hasReceipt, device } = facts;
  return { ...(await textsOf(chargeId, facts)), purchaseDevice: deviceText(device), trxToken, hasReceipt };
}

/** The evidence with the receipt of the payment, as the bank gets it. */
export async function getSubmittedEvidence(
  chargeId: number,
  merchantId: number,
): Promise<Omit<DisputeEvidence, 'statement'>> {
  const facts = await getEvidenceFacts(chargeId);
  const reader = { merchantId, accountId: merchantId, role: 'merchant' } as const;
  const receipt = await findReceiptFile(reader, facts.trxToken);
  return { ...(await textsOf(chargeId, facts)), ...(receipt && { receipt }) };
}

async function textsOf(chargeId: number, facts: EvidenceFacts): Promise<EvidenceTexts> {
  const { customerName, customerEmail, customerAddress, itemTitle, planName, paidAt } = facts;
  return {
    customerName,
    customerEmail,
    customerAddress,
    productDescription: `${itemTitle}: ${planName}`,
    serviceDay: paidAt.toISOString().slice(0, 10),
    accessLog: accessLogOf(facts, await listSignIns(chargeId)),
  };
}

/** The bank takes a limited text, so the oldest sign-ins are left out. */
function accessLogOf(facts: EvidenceFacts, signIns: readonly SignIn[]): string {
  const lines = [purchaseLine(facts), ...accessLines(facts), ...signIns.map(signInLine)];
  let log = '';
  for (const line of lines) {
    const longer = log === '' ? line : `${log}\n${line}`;
    if (longer.length > evidenceTextMax) break;
    log = longer;
  }
  return log;
}

function purchaseLine({ boughtAt, planName, customerAddress, device }: EvidenceFacts): string {
  const from = customerAddress === '' ? '' : ` from the address ${customerAddress}`;
  return `${minute(boughtAt)}: the customer bought "${planName}"${from}${withDevice(device)}`;
}

function accessLines({ itemTitle, accessFrom, accessTo }: EvidenceFacts): string[] {
  if (!accessFrom || !accessTo) return [];
  return [`Access to "${itemTitle}" from ${minute(accessFrom)} to ${minute(accessTo)}`];
}

function signInLine({ at, country, city, ...device }: SignIn): string {
  const place = [city, country].filter((part) => part !== '').join(', ');
  return `${minute(at)}: the customer signed in${withDevice(device)}${place === '' ? '' : ` in ${place}`}`;
}

function withDevice(device: Device | null): string {
  const text = deviceText(device);
  return text === '' ? '' : ` with ${text}`;
}

/** `iPhone (iOS, mobile)`. Empty if the device is unknown. */
function deviceText(device: Device | null): string {
  if (!device) return '';
  const { model, os, type } = device;
  const kind = [os, type].filter((part) => part !== '' && part !== 'other').join(', ');
  if (model === '' || kind === '') return model || kind;
  return `${model} (${kind})`;
}

/** `2026-03-01 12:00 UTC`. */
const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
