import { z } from 'zod';

export const SubscriptionPath = z.object({ id: z.string().max(64) });

/** `redirect_to_url` is the page of the bank. After it, the purchase continues with `pi_id`. */
export const AuthenticationResponse = z.object({
  subscription_id: z.string(),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});
