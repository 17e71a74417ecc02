import { z } from 'zod';

export const SubscriptionPath = z.object({ id: z.string().max(64) });

/** `redirect_to_url` is the bank's page; `pi_id` goes on with the purchase after it. */
export const AuthenticationResponse = z.object({
  subscription_id: z.string(),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});
