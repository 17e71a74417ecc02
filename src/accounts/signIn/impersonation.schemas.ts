import { z } from 'zod';
import { formEmail, formId, formText } from '../../kit/form';
import { RelationResponse } from '../merchants/followers.schemas';
import { AccountResponse } from '../accounts.schemas';

/** All names of the follower must match. The password is the caller's own. */
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

/** The relation, and the session that was opened. */
export const FollowerSession = z.object({ ...RelationResponse.shape, ...token });
export const CustomerSession = z.object({ ...token, account: AccountResponse });
