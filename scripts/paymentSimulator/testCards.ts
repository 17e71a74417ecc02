export const sandboxOutcomes = [
  'success',
  'declined',
  'insufficient_funds',
  'expired_card',
  'needs_authentication',
  'needs_authentication_once',
  'timeout_before_charging',
  'timeout_after_charging',
  'declined_at_renewal',
  'declined_once_at_renewal',
  'lost_at_renewal',
  'busy_at_renewal',
  'misconfigured',
  'misconfigured_at_renewal',
  'unavailable',
  'declined_when_charged',
  'slow',
] as const;
/** The outcome of a card's charges, the same for each charge. */
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

export const sandboxRefundOutcomes = [
  'success',
  'refused',
  'timeout_before_refunding',
  'timeout_after_refunding',
  'pending_then_success',
  'pending_then_refused',
] as const;
/** The outcome of refunds of a card's charges. */
export type SandboxRefundOutcome = (typeof sandboxRefundOutcomes)[number];

export interface SandboxCard {
  number: string;
  outcome: SandboxOutcome;
  /** Absent: `success`. */
  refundOutcome?: SandboxRefundOutcome;
  description: string;
}

/**
 * The published test cards. The sandbox accepts only these numbers, with any holder, expiry and security code. Those
 * that Stripe publishes as well behave as they do there.
 */
export const sandboxCards: readonly SandboxCard[] = [
  { number: '4242424242424242', outcome: 'success', description: 'Every charge succeeds.' },
  { number: '4111111111111111', outcome: 'success', description: 'Every charge succeeds.' },
  { number: '4000000000000002', outcome: 'declined', description: 'The bank declines; a later charge may be tried.' },
  { number: '4000000000009995', outcome: 'insufficient_funds', description: 'Declined: insufficient funds.' },
  { number: '4000000000000069', outcome: 'expired_card', description: 'Declined for good: the card has expired.' },
  {
    number: '4000000000003220',
    outcome: 'needs_authentication',
    description:
      'Every charge waits until the customer approves or refuses it on a page of the sandbox, at a renewal as well.',
  },
  {
    number: '4000002500003155',
    outcome: 'needs_authentication_once',
    description:
      'The customer approves or refuses the first charge, or the set-up of a trial or a new card. Later charges succeed.',
  },
  {
    number: '4000000000004087',
    outcome: 'timeout_before_charging',
    description: 'The first try of a charge times out and nothing is charged; the next try succeeds.',
  },
  {
    number: '4000000000005043',
    outcome: 'timeout_after_charging',
    description: 'The first try of a charge times out, yet the card has been charged.',
  },
  {
    number: '4000000000000614',
    outcome: 'declined_at_renewal',
    description: 'The first charge succeeds; the bank declines every later one.',
  },
  {
    number: '4000000000000622',
    outcome: 'declined_once_at_renewal',
    description: 'The first charge succeeds, the second has insufficient funds, every later one succeeds.',
  },
  {
    number: '4000000000000630',
    outcome: 'lost_at_renewal',
    description: 'The first charge succeeds; every later one is declined for good: the card was lost.',
  },
  {
    number: '4000000000000648',
    outcome: 'busy_at_renewal',
    description: 'The first charge succeeds, the second is put off: try again later. Every later one succeeds.',
  },
  {
    number: '4000000000000655',
    outcome: 'misconfigured',
    description: "Every charge is refused because of the account's settings, not because of the card.",
  },
  {
    number: '4000000000000663',
    outcome: 'misconfigured_at_renewal',
    description: "The first charge succeeds; every later one is refused because of the account's settings.",
  },
  {
    number: '4000000000000671',
    outcome: 'unavailable',
    description: 'The provider does not answer: no charge is sent.',
  },
  {
    number: '4000000000000341',
    outcome: 'declined_when_charged',
    description:
      'The bank accepts the card when it is saved, for example at the start of a trial, and declines every charge.',
  },
  {
    number: '4000000000003006',
    outcome: 'slow',
    description: 'Every charge succeeds, and the provider takes 300 ms for it.',
  },
  {
    number: '4000000000005126',
    outcome: 'success',
    refundOutcome: 'refused',
    description: 'Every charge succeeds, and every refund is refused.',
  },
  {
    number: '4000000000007726',
    outcome: 'success',
    refundOutcome: 'timeout_after_refunding',
    description: 'Every charge succeeds. The first try of a refund times out, yet the money has gone back.',
  },
  {
    number: '4000000000000077',
    outcome: 'success',
    refundOutcome: 'timeout_before_refunding',
    description: 'Every charge succeeds. The first try of a refund times out and nothing goes back; the next succeeds.',
  },
  {
    number: '4000000000007734',
    outcome: 'success',
    refundOutcome: 'pending_then_success',
    description: 'Every charge succeeds. A refund is pending for some seconds, then the bank accepts it.',
  },
  {
    number: '4000000000007742',
    outcome: 'success',
    refundOutcome: 'pending_then_refused',
    description: 'Every charge succeeds. A refund is pending for some seconds, then the bank refuses it.',
  },
];
