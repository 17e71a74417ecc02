import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;

/** Prints the rules of PDF/A-3b that files break, one a line, and at the end whether all files keep them. */
class Validate {
  public static void main(String[] files) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    boolean areValid = true;
    for (String file : files)
      try (var parser = Foundries.defaultInstance().createParser(new FileInputStream(file), PDFAFlavour.PDFA_3_B)) {
        var result = Foundries.defaultInstance().createValidator(PDFAFlavour.PDFA_3_B, false).validate(parser);
        areValid &= result.isCompliant();
        for (var assertion : result.getTestAssertions())
          if (assertion.getStatus() == TestAssertion.Status.FAILED)
            System.out.println(assertion.getRuleId().getClause() + ": " + assertion.getMessage());
      }
    System.out.println(areValid ? "valid" : "invalid");
  }
}
