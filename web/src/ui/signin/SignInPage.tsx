import { useText } from '@/i18n';
import { signInMessages } from './messages';
import { SignInForm } from './SignInForm';
import { SignInFrame } from './SignInFrame';

/** Stands at whatever address was asked for, until somebody is signed in. */
export function SignInPage() {
  const t = useText(signInMessages);
  return (
    <SignInFrame title={t('title')}>
      <SignInForm />
    </SignInFrame>
  );
}
