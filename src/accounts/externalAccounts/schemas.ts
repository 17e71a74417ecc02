import { z } from 'zod';
import { formId, formText } from '../../kit/form';

/** The spec's fixed word, and the name that existing clients send (wire A.1). */
export const integrations = ['partner', 'livelike'] as const;

export const ExternalAccountPath = z.object({ integration: z.enum(integrations) });

const nickname = formText({ max: 50 });

export const CreateExternalAccountBody = z.object({ item_id: formId(), nickname: nickname.optional() });
export const RenameExternalAccountBody = z.object({ nickname });

/** The spec's Message and what clients read, in one (wire A.1). */
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
