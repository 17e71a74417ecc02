import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { Password } from '../accounts.schemas';

export const ChangePasswordBody = z.object({
  old_password: z.string().max(256),
  password: Password,
  password_confirmation: z.string().max(256),
  branding_id: BrandingId,
});
