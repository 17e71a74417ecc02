/** Search attributes of the Temporal namespace; they are not encrypted, so they hold ids and states only. */
export const searchAttributes = {
  merchant: 'PaywallMerchant',
  item: 'PaywallItem',
  state: 'PaywallState',
  failureReason: 'PaywallFailureReason',
} as const;
