import { z } from 'zod';
import { formInt } from '../../kit/form';

/** 0 lifts the limit: an empty field would count as one that was not sent. */
export const SettingsBody = z.object({ session_limit: formInt().pipe(z.int().min(0).max(1000)) });

export const SettingsResponse = z.object({ session_limit: z.int().nullable() });
