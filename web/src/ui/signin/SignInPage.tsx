import { useText } from '@/i18n';
import { signInMessages } from './messages';
import { SignInForm } from './SignInForm';
import { SignInFrame } from './SignInFrame';

/** Replaces the requested page until the user has signed in. */
export function SignInPage() {
  const t = useText(signInMessages);
  return (
    <SignInFrame title={t('title')}>
      <SignInForm />
    </SignInFrame>
  );
}
