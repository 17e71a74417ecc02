import { type ChargeOutcome } from '../../../workflows/messages';
import { type ChargeState } from './charges.model';

/** The outcome of a stored charge. */
export function outcomeOf(charge: ChargeState): ChargeOutcome {
  if (charge.status === 'paid') return { outcome: 'paid' };
  if (charge.status === 'requires_action')
    return { outcome: 'requires_action', askedAtMs: (charge.askedAt ?? new Date()).getTime() };
  if (charge.status === 'processing') return { outcome: 'processing' };
  if (charge.status === 'open') return { outcome: 'unknown' };
  const { declineReason, declineMessage, declineClass } = charge;
  return {
    outcome: 'declined',
    reason: declineReason ?? 'declined',
    message: declineMessage ?? '',
    decline: declineClass ?? 'soft',
  };
}
