import { z } from 'zod';
import { formBool } from '../kit/form';

const name = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/);

export const FeaturePath = z.object({ name });
export const FeatureBody = z.object({ enabled: formBool() });
export const Feature = z.object({ name: z.string(), enabled: z.boolean() });
export const FeatureList = z.array(Feature);
