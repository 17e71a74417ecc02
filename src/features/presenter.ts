import { type FeatureFlag } from './model';

export function presentFeature({ name, enabled }: Pick<FeatureFlag, 'name' | 'enabled'>) {
  return { name, enabled };
}
