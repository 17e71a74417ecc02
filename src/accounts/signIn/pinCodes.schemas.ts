import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formText } from '../../kit/form';

export const PinRequest = z.object({ branding_id: BrandingId });

export const PinBody = z.object({ pin_code: formText({ max: 20 }) });
