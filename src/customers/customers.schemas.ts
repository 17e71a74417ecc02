import { z } from 'zod';
import { formEmail, formMetadata, formPastDate, formText } from '../kit/form';
import { AuthenticationResponse, Password } from '../accounts/accounts.schemas';

export { RegisterBody } from '../accounts/accounts.schemas';

export const CreateCustomerBody = z.object({
  email: formEmail(),
  full_name: formText({ max: 250 }).optional(),
  password: Password.optional(),
  referrer: formText({ max: 2000 }).optional(),
  metadata: formMetadata().optional(),
  date_of_birth: formPastDate().optional(),
});

/** The account consists of these four fields; the token is the customer's. */
export const CreatedCustomerResponse = z.object({
  access_token: z.string(),
  expires: z.int(),
  expires_at: z.int(),
  account: z.object({ id: z.int(), email: z.string(), created_at: z.int(), updated_at: z.int() }),
});

/** The response to a registration, or to the creation of a merchant's customer. */
export const RegisteredResponse = z.union([AuthenticationResponse, CreatedCustomerResponse]);
