import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formEmail, formId, formText } from '../../kit/form';

/** `merchant_uuid` is the client id of the app. */
export const ActivationRequest = z.object({
  email: formEmail(),
  merchant_uuid: formText({ max: 100 }),
  branding_id: BrandingId,
});

export const ActivationPath = z.object({ token: z.string().min(1).max(200) });

/** The password that the person chose at the registration. */
export const ActivationBody = z.object({ password: z.string().max(256).optional() });

export const CustomerPath = z.object({ id: formId() });

export const ActivatedResponse = z.object({ uuid: z.uuid() });
