import { z } from 'zod';
import { formId, formText } from '../kit/form';

/** The documented name, and the name that existing clients send. */
export const integrations = ['partner', 'livelike'] as const;

export const ExternalAccountPath = z.object({ integration: z.enum(integrations) });

const nickname = formText({ max: 50 });

export const CreateExternalAccountBody = z.object({ item_id: formId(), nickname: nickname.optional() });
export const RenameExternalAccountBody = z.object({ nickname });

/** The documented message with the fields that existing clients read. */
export const ExternalAccountResponse = z.object({
  code: z.int(),
  message: z.string(),
  explain: z.string(),
  id: z.int(),
  account_id: z.int(),
  nickname: z.string(),
  token: z.string(),
  expires: z.int(),
});
