import { z } from 'zod';
import { formText } from '../../kit/form';

/** Anything but the id of a theme means the default one (wire 0.9). */
export const PinRequest = z.object({ branding_id: z.unknown().optional() });

export const PinBody = z.object({ pin_code: formText({ max: 20 }) });
