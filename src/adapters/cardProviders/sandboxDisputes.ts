import { AppError } from '../../kit/errors';
import {
  type DisputeEvidence,
  type EvidenceResult,
  type NotifiedDispute,
  type ProviderNotification,
} from './notifications';
import { type SandboxClient } from './sandboxClient';
import { isSigned } from './sandboxSignatures';
import { WireDispute, WireNotification } from './sandboxWire';

/** The disputes of the sandbox, and what it reports by itself. `key`: the key of the account, which signs the reports. */
export function createSandboxDisputes(client: SandboxClient, key: string) {
  return {
    async readDispute(reference: string): Promise<NotifiedDispute | undefined> {
      const found = await client.get(`disputes/${encodeURIComponent(reference)}`, WireDispute);
      return found.outcome === 'answered' ? disputeOf(found.body) : undefined;
    },

    async submitEvidence(reference: string, { receipt, ...texts }: DisputeEvidence): Promise<EvidenceResult> {
      const file = receipt && { receipt: { name: receipt.name, content: receipt.bytes.toString('base64') } };
      const evidence = { ...texts, ...file };
      const sent = await client.post(`evidence/${encodeURIComponent(reference)}`, WireDispute, evidence);
      if (sent.outcome === 'answered') return { outcome: 'submitted' };
      if (sent.outcome === 'refused') return { outcome: 'refused', message: sent.error.message };
      if (sent.outcome === 'misconfigured') return { outcome: 'refused', message: sent.fault.message };
      return { outcome: 'unknown' };
    },

    readNotification(body: Buffer, signature: string): ProviderNotification {
      if (!isSigned(key, body, signature)) throw new AppError('invalid_signature');
      const { id, reference, about, dispute, card } = WireNotification.parse(JSON.parse(body.toString('utf8')));
      if (about !== 'dispute') return { id, reference, about, ...(card && { card }) };
      if (!dispute) return { id, reference, about: 'other' };
      const decision = dispute.status === 'won' ? 'dispute_won' : 'disputed';
      return { id, reference, about: decision, dispute: disputeOf(dispute) };
    },
  };
}

function disputeOf({ reference, status, reason, at, amountMinor, currency, feeMinor, dueAt }: WireDispute) {
  const fee = { amountMinor: feeMinor, currency };
  const due = dueAt !== null && { dueAt: new Date(dueAt) };
  return { reference, status, reason, at: new Date(at), amountMinor, currency, fee, ...due } satisfies NotifiedDispute;
}
