# White space at line ends and blank lines at the end are nothing.
print("a")   

if True:  
    print("b")	
    

   

