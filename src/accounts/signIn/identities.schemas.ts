import { z } from 'zod';

export const ProviderPath = z.object({ provider: z.string().max(64) });

/** `is_proven`: the provider or the owner has shown that the identity belongs to the owner of the account's address. */
export const IdentityResponse = z.object({ provider: z.string(), is_proven: z.boolean(), linked_at: z.int() });
export const IdentitiesResponse = z.object({ collection: z.array(IdentityResponse) });
