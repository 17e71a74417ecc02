/** The states of an account below the operator's platform (Stripe Connect). */
export const connectStates = ['onboarding', 'restricted', 'active', 'deauthorized'] as const;

/**
 * `onboarding`: the merchant has not answered everything yet. `restricted`: Stripe lets the account take no payments.
 * `deauthorized`: the merchant has removed the platform at Stripe.
 */
export type ConnectState = (typeof connectStates)[number];
