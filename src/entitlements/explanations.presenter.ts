import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type ExplainedRow } from './explanations.model';
import { type AccessExplanation, type Step } from './explanations.schemas';

export interface Explained {
  itemId: number;
  accountId: number;
  present: Date;
  steps: Step[];
  rows: ExplainedRow[];
}

export function presentExplanation(explained: Explained): z.output<typeof AccessExplanation> {
  const refusal = explained.steps.find(({ outcome }) => outcome === 'refused');
  return {
    item_id: explained.itemId,
    account_id: explained.accountId,
    checked_at: unixSeconds(explained.present),
    granted: refusal === undefined,
    refused_by: refusal?.step ?? null,
    steps: explained.steps,
    entitlements: explained.rows.map((row, index) => ({
      id: row.id,
      item_id: row.itemId,
      item_title: row.itemTitle,
      source: row.source,
      access_fee_id: row.accessFeeId,
      state: row.state,
      starts_at: unixSeconds(row.startsAt),
      expires_at: unixSeconds(row.expiresAt),
      revoked_at: unixSeconds(row.revokedAt),
      answers: index === 0 && row.state === 'running',
    })),
  };
}
