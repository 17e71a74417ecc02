/** Search attributes of the Temporal namespace. They are not encrypted, so they contain only ids and states. */
export const searchAttributes = {
  merchant: 'PaywallMerchant',
  item: 'PaywallItem',
  state: 'PaywallState',
  failureReason: 'PaywallFailureReason',
} as const;
