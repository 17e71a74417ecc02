import { z } from 'zod';
import { formEmail, formId, formText } from '../../kit/form';
import { RelationResponse } from '../followers/schemas';
import { AccountResponse } from '../schemas';

/** All of the follower's names have to fit, and the password is the caller's own (spec 4.1). */
export const ImpersonateFollowerBody = z.object({
  sign_in_as: formId(),
  uuid: formText({ max: 50 }),
  client_id: formText({ max: 100 }),
  email: formEmail(),
  grant_type: z.enum(['social']),
  password: z.string().max(256),
});

export const ImpersonateCustomerBody = z.object({ customer_id: formId() });

const token = { access_token: z.string(), expires: z.int(), expires_at: z.int() };

/** The spec's relation, and the session that was opened (decisions 3). */
export const FollowerSession = z.object({ ...RelationResponse.shape, ...token });
export const CustomerSession = z.object({ ...token, account: AccountResponse });
